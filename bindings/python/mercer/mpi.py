"""Fits by the processes of an MPI job, through mpi4py.

    # mpirun -n 4 --bind-to none python3 -m mpi4py fit.py
    import mercer, mercer.mpi, numpy as np
    team = mercer.mpi.team()
    X = np.load("rows.npy", mmap_mode="r")
    pca = mercer.PCA(10).fit(np.array_split(X, team.size)[team.rank], team=team)
    if team.rank == 0:
        pca.save("model.st")

All processes get the model of all rows, with the bits that one process would get. `python3 -m mpi4py` ends
the job where one process fails by itself.
"""
from ._team import Team

__all__ = ["team"]

_TAG = 1


def team(comm=None):
    """The processes of an MPI communicator as a team: what `fit(X, team=…)` takes.

    All processes of the communicator call it. Messages of the fits do not mix with others, as the communicator is
    duplicated: make one team per program.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm, default=None
        None: all processes of the job, MPI.COMM_WORLD.

    Returns
    -------
    team : mercer.Team
        `rank` and `size` are those of the communicator.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(
            f"mercer.mpi needs mpi4py ({error}); install it with 'apt install python3-mpi4py' or 'pip install mpi4py'"
        ) from None
    if comm is None:
        comm = MPI.COMM_WORLD
    if isinstance(comm, MPI.Comm) and comm == MPI.COMM_NULL:
        raise ValueError("comm is MPI.COMM_NULL: this process is not in the communicator")
    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"comm is {type(comm).__name__}, not a communicator of mpi4py such as MPI.COMM_WORLD")
    return _MpiTeam(MPI, comm.Dup())


class _MpiTeam(Team):
    def __init__(self, mpi, comm):
        self._mpi, self._comm = mpi, comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        here = comm.Split_type(mpi.COMM_TYPE_SHARED)
        self.processes_here = here.Get_size()
        here.Free()

    def send(self, to, data):
        self._comm.Send([data, self._mpi.BYTE], to, _TAG)

    def receive(self, source, data):
        self._comm.Recv([data, self._mpi.BYTE], source, _TAG)

    def exchange(self, to, out, source, into):
        nobody, byte = self._mpi.PROC_NULL, self._mpi.BYTE
        self._comm.Sendrecv(
            [out, byte], to if len(out) else nobody, _TAG, [into, byte], source if len(into) else nobody, _TAG
        )

    def broadcast(self, root, data):
        self._comm.Bcast([data, self._mpi.BYTE], root)

    def __reduce__(self):
        raise TypeError("a team is a part of a running MPI job, which cannot be pickled")
