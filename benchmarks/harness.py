"""What the benchmark scripts share: isolated, alternating runs and a Markdown table of ratios."""
import json
import os
import platform
import subprocess
import time

BUILD = os.environ["BUILD"]
DATA = os.environ["DATA"]
QUICK = os.environ.get("QUICK", "0") not in ("", "0")  # about five minutes for all benchmarks together
RESULTS = os.environ.get("RESULTS")  # what tables say, a line of JSON each, for report.py


def rounds(usual):
    """How often each job runs."""
    return int(os.environ.get("ROUNDS", 1 if QUICK else usual))


def machine():
    """One line: what the numbers were measured on."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    flags = open("/proc/cpuinfo").read()
    simd = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "SSE"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({model}, {simd}), {memory:.0f} GiB, {platform.freedesktop_os_release()['PRETTY_NAME']}"


def run_json(command):
    """Runs a process of its own that prints one line of JSON."""
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def run_process(command):
    """Wall time and peak resident size of a whole process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{command} failed")
    return {"seconds": seconds, "peak_bytes": usage.ru_maxrss * 1024}


def alternate(jobs, rounds):
    """Runs every job once a round, so that a noisy moment hits all alike; keeps each one's best."""
    best = {}
    for _ in range(rounds):
        for name, job in jobs.items():
            result = job()
            if name not in best or result["seconds"] < best[name]["seconds"]:
                best[name] = result
    return best


def check_values(results, reference, tolerances):
    """The answers must agree with the reference's, or the race was not about the same thing."""
    wanted = results[reference]["values"]
    for name, result in results.items():
        if not result.get("values"):
            continue
        error = max(abs(a - b) / wanted[0] for a, b in zip(result["values"], wanted))
        result["error"] = error
        if error > tolerances.get(name, 1e-9):
            raise SystemExit(f"{name}: eigenvalues differ by {error:.1e}")


def time_text(seconds):
    if seconds < 1e-4:
        return f"{1e6 * seconds:.1f} µs"
    return f"{seconds:.3f} s" if seconds >= 0.1 else f"{1e3 * seconds:.1f} ms"


def table(title, results, ours, notes=None):
    """Markdown: time, and how many times longer than ours."""
    rows, lines = [], [f"**{title}**", "", "| | time | ratio to Mercer | |", "|---|---|---|---|"]
    for name, result in results.items():
        ratio = result["seconds"] / results[ours]["seconds"]
        note = (notes or {}).get(name, "")
        if result.get("peak_bytes"):
            note = f"peak {result['peak_bytes'] / 2**20:.0f} MiB" + (", " + note if note else "")
        lines.append(f"| {name} | {time_text(result['seconds'])} | {ratio:.2f} | {note} |")
        rows.append({"name": name, "seconds": result["seconds"], "ratio": ratio, "ours": name == ours,
                     "peak_bytes": result.get("peak_bytes"), "note": note})
    markdown = "\n".join(lines) + "\n"
    if RESULTS:
        with open(RESULTS, "a") as out:
            json.dump({"title": title, "machine": machine(), "rows": rows, "markdown": markdown}, out, ensure_ascii=False)
            out.write("\n")
    return markdown
