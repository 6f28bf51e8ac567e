"""Fits over a team whose transport is a Python object: members are threads of this process."""
import queue
import threading

import numpy as np
import pytest

import mercer
from team_cases import CASES, WRONG, X, error_of, fit_share, refused, same


class Threads(mercer.Team):
    def __init__(self, rank, mail):
        self.rank, self.size, self.mail = rank, len(mail), mail

    def send(self, to, data):
        self.mail[self.rank][to].put(bytes(data))

    def receive(self, source, data):
        data[:] = self.mail[source][self.rank].get(timeout=60)


def on(size, work, kind=Threads):
    """What work(team) returns or raises on each member."""
    mail = [[queue.Queue() for _ in range(size)] for _ in range(size)]
    found = [None] * size

    def run(rank):
        try:
            found[rank] = work(kind(rank, mail))
        except BaseException as error:
            found[rank] = error

    members = [threading.Thread(target=run, args=[rank]) for rank in range(size)]
    for member in members:
        member.start()
    for member in members:
        member.join()
    return found


@pytest.mark.parametrize("name", CASES)
def test_M_G2_members_find_what_one_process_finds(name):
    for size in (1, 2, 3, 5):
        same(name, on(size, lambda team: fit_share(name, team)))


@pytest.mark.parametrize("name", WRONG)
def test_M_G6_the_error_of_one_member_is_that_of_all(name):
    for size in (2, 3):
        refused(name, on(size, lambda team: error_of(name, team)))


def test_M_G6_a_transport_that_fails_is_named():
    class Broken(Threads):
        def receive(self, source, data):
            raise ConnectionError(f"{source} is gone\nand more")

    errors = on(2, lambda team: mercer.PCA(2).fit(X, team=team), Broken)
    assert type(errors[0]) is OSError
    assert str(errors[0]) == "receive of rank 0 of the team failed: ConnectionError: 1 is gone"

    class Half(mercer.Team):
        rank, size = 0, 2

    with pytest.raises(OSError, match="receive of rank 0 of the team failed: NotImplementedError: Half has no receive"):
        mercer.PCA(2).fit(X, team=Half())


def test_memory_of_a_message_is_not_the_transports_to_keep():
    class Keeps(mercer.Team):
        rank, size = 1, 2

        def send(self, to, data):
            self.kept = data

        def receive(self, source, data):
            raise ConnectionError

    team = Keeps()
    with pytest.raises(OSError):
        mercer.PCA(2).fit(X, team=team)
    with pytest.raises(ValueError, match="released memoryview"):
        bytes(team.kept)


def test_parameters_are_those_of_the_estimator_afterwards():
    models = on(2, lambda team: mercer.PCA(2).fit(X[350 * team.rank :][:350], team=team))
    assert [model.get_params() for model in models] == [mercer.PCA(2).get_params()] * 2
    np.testing.assert_array_equal(models[0].transform(X), mercer.PCA(2).fit(X).transform(X))
