"""Processes that fit one model together, each with its share of the rows."""
import pickle
from typing import Any, NamedTuple

from . import _mercer
from ._rows import check_parameters, validated


class Team:
    """Processes that fit one model together, each with its share of the rows.

    :func:`mercer.mpi.team` makes one of the processes of an MPI job. For another engine, derive a class that
    moves bytes between processes; what they mean, and the order of all sums, is the library's. All members
    call the same functions in the same order.

    Attributes
    ----------
    rank : int
        This process, from 0 to size - 1.
    size : int
    processes_here : int, default=1
        Processes of the team on this machine, which share its memory: the default `memory` of a fit is
        divided by it.

    Examples
    --------
    Threads of one process:

    >>> import queue, threading
    >>> import numpy as np
    >>> import mercer
    >>> class Threads(mercer.Team):
    ...     def __init__(self, rank, mail):
    ...         self.rank, self.size, self.mail = rank, len(mail), mail
    ...     def send(self, to, data):
    ...         self.mail[self.rank][to].put(bytes(data))
    ...     def receive(self, source, data):
    ...         data[:] = self.mail[source][self.rank].get()
    >>> mail = [[queue.Queue() for _ in range(2)] for _ in range(2)]
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> models = [mercer.PCA(2), mercer.PCA(2)]
    >>> members = [
    ...     threading.Thread(target=models[i].fit, args=[X[50 * i :][:50]], kwargs={'team': Threads(i, mail)})
    ...     for i in range(2)
    ... ]
    >>> for member in members: member.start()
    >>> for member in members: member.join()
    >>> all((model.components_ == mercer.PCA(2).fit(X).components_).all() for model in models)
    True
    """

    rank: int
    size: int
    processes_here = 1

    def send(self, to, data):
        """Send bytes to one other process, which calls `receive` with the same number of bytes.

        Parameters
        ----------
        to : int
        data : memoryview
            Of bytes, valid until the function returns: copy what is kept.
        """
        raise NotImplementedError(f"{type(self).__name__} has no send")

    def receive(self, source, data):
        """Wait for the bytes that another process sends.

        Parameters
        ----------
        source : int
        data : memoryview
            To be filled.
        """
        raise NotImplementedError(f"{type(self).__name__} has no receive")

    def exchange(self, to, out, source, into):
        """Send to one process and receive from another, or from the same: neither waits for the other.

        Without bytes nothing is sent, or received. This one sends first, which is right where `send` does not
        wait for the receiver.

        Parameters
        ----------
        to : int
        out : memoryview
        source : int
        into : memoryview
        """
        if len(out):
            self.send(to, out)
        if len(into):
            self.receive(source, into)

    def broadcast(self, root, data):
        """Bytes of one process to all others.

        Parameters
        ----------
        root : int
        data : memoryview
            To be read on `root` and filled elsewhere.
        """
        if self.rank != root:
            self.receive(root, data)
            return
        for other in range(self.size):
            if other != root:
                self.send(other, data)


class Share(NamedTuple):
    """The rows here are some of those of all processes."""

    team: Any
    rows: slice  # these of all
    total: int  # rows of all


def agree(team, work):
    """What work() returns. What it raises on some processes, the error of the first of these, all raise."""
    found, error = None, b""
    try:
        found = work()
    except Exception as failure:
        error = _packed(failure)
    lengths = _mercer.all_of(team, len(error))
    for rank, length in enumerate(lengths):
        if length:
            raise pickle.loads(_broadcast(team, rank, error, length))
    return found


def _packed(error):
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)  # some cannot be made again
        return packed
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


def _broadcast(team, root, mine, length):
    data = bytearray(mine if team.rank == root else length)
    if team.size > 1:
        team.broadcast(root, memoryview(data))
    return bytes(data)


def require_team(team):
    if not isinstance(team, Team):
        raise TypeError(
            f"team is {type(team).__name__}, not a mercer.Team; mercer.mpi.team(comm) makes one of a communicator"
        )


def share_of(estimator, X, team):
    """(X as the estimator checks it, its Share). Processes may have no rows."""
    require_team(team)

    def checked():
        check_parameters(estimator)
        rows = validated(estimator, X, reset=True, ensure_min_samples=0)
        estimator._refuse_on_team()
        return rows

    rows = agree(team, checked)
    _require_same_names(estimator, team)
    counts = _mercer.all_of(team, rows.shape[0])
    first = sum(counts[: team.rank])
    share = Share(team, slice(first, first + rows.shape[0]), sum(counts))

    def possible():
        if share.total < 2:
            have = {0: "no rows", 1: "1 row"}[share.total]
            raise ValueError(f"the processes of the team have {have}; at least 2 are required")
        estimator._options(rows, share)

    agree(team, possible)
    return rows, share


def _require_same_names(estimator, team):
    """The library does not see them."""
    mine = pickle.dumps([str(name) for name in getattr(estimator, "feature_names_in_", ())])
    lengths = _mercer.all_of(team, len(mine))
    of_first = _broadcast(team, 0, mine, lengths[0])

    def compare():
        if mine != of_first:
            raise ValueError(
                f"the column names of rank {team.rank} are not those of rank 0; give all processes the same columns "
                "in the same order"
            )

    agree(team, compare)
