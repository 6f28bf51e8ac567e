"""A process of the jobs of test_mpi.py: mpi_job.py FOLDER writes there what this process found."""
import pathlib
import pickle
import sys

import mercer.mpi
from team_cases import CASES, WRONG, error_of, fit_share

team = mercer.mpi.team()
results = {name: fit_share(name, team) for name in CASES}
errors = {name: error_of(name, team) for name in WRONG}
results_again = fit_share("scaled", team)  # an error ends a fit, not the team
path = pathlib.Path(sys.argv[1]) / f"{team.rank}.pickle"
path.write_bytes(pickle.dumps((team.size, team.processes_here, results, errors, results_again)))
