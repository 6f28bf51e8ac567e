#!/usr/bin/env python3
"""A job on four hosts, each a network namespace with its own host name and a link to a switch.

The model is the file of one process, and the bytes on the links are those that the processes count
themselves, within 15 %. Needs `ip` and the right to make namespaces: root, or a kernel where users
may have namespaces of their own. Everything is made in namespaces of this test and ends with it.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HOSTS = [f"node{i}" for i in range(4)]
AGENT = """#!/bin/sh
# In the place of ssh: HOST COMMAND…
host=$1; shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0"; exec sh -c "$*"' "$host" "$@"
"""


def sh(*command):
    subprocess.run(command, check=True)


def enter_namespaces():
    """Starts this script again, alone in its network and among its mounts."""
    if os.environ.get("MERCER_IN_NAMESPACES"):
        return
    for tool in ("ip", "unshare"):
        if not shutil.which(tool):
            sys.exit(f"this test needs the program '{tool}' (Debian: iproute2, util-linux)")
    unshare = ["unshare", "--net", "--mount", "--propagation", "private"]
    if os.geteuid() != 0:
        unshare += ["--user", "--map-root-user"]
    possible = subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", "/run"], capture_output=True, text=True)
    if possible.returncode:
        sys.exit("this test needs the right to make network namespaces; run it as root, or allow user namespaces: "
                 + possible.stderr.strip())
    os.environ["MERCER_IN_NAMESPACES"] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def make_hosts():
    sh("mount", "-t", "tmpfs", "none", "/run")
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "switch", "type", "bridge")
    sh("ip", "address", "add", "10.77.0.254/24", "dev", "switch")
    sh("ip", "link", "set", "switch", "up")
    for i, host in enumerate(HOSTS):
        sh("ip", "netns", "add", host)
        sh("ip", "link", "add", f"to-{host}", "type", "veth", "peer", "name", "eth0", "netns", host)
        sh("ip", "link", "set", f"to-{host}", "master", "switch", "up")
        sh("ip", "-n", host, "address", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
        sh("ip", "-n", host, "link", "set", "eth0", "up")
        sh("ip", "-n", host, "link", "set", "lo", "up")


def bytes_on_links():
    """That the hosts have sent."""
    links = pathlib.Path("/sys/class/net")
    if not (links / f"to-{HOSTS[0]}").exists():  # /sys shows the network of whoever mounted it
        sh("mount", "-t", "sysfs", "none", "/sys")
    return sum(int((links / f"to-{host}" / "statistics" / "rx_bytes").read_text()) for host in HOSTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    enter_namespaces()
    make_hosts()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        agent = folder / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)

        def job(*command):
            network = "10.77.0.0/24"
            mpirun = [options.mpirun, "--allow-run-as-root", "--bind-to", "none", "-n", str(len(HOSTS)),
                      "--host", ",".join(HOSTS), "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self",
                      "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network]
            done = subprocess.run([*mpirun, *command], capture_output=True, text=True, timeout=300)
            if done.returncode:
                sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        rings, wine = options.data / "rings.csv", options.data / "wine.csv"
        fits = {
            "linear": [wine, "--label", "cultivar", "--scale", "std"],
            "randomized": [wine, "--label", "cultivar", "-k", "3", "--solver", "randomized"],
            "kernel": [rings, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "3", "--memory", "512MiB"],
        }
        for kind, arguments in fits.items():
            one, several = folder / f"{kind}-one.st", folder / f"{kind}-several.st"
            subprocess.run([options.bin / "mercer", "fit", *arguments, "--quiet", "-o", one], check=True)
            job(options.bin / "mercer-mpi", "fit", *arguments, "--quiet", "-o", several)
            if one.read_bytes() != several.read_bytes():
                sys.exit(f"{kind}: the model of {len(HOSTS)} hosts has other bytes than that of one process")

        before = bytes_on_links()
        lines = sorted(line.split() for line in job(options.bin / "mercer_traffic").splitlines())
        on_links = bytes_on_links() - before
        if [line[0] for line in lines] != HOSTS:
            sys.exit(f"the processes were not on the hosts {HOSTS}: {lines}")
        counted = sum(int(line[1]) for line in lines)
        print(f"{len(HOSTS)} hosts: {counted} bytes counted, {on_links} on the links ({on_links / counted - 1:+.1%})")
        if not 0.85 <= on_links / counted <= 1.15:
            sys.exit("the bytes on the links differ from those counted by more than 15 %")


main()
