"""Draws the matrix: MB/s and the ratio to Block I/O over the block size. Usage: plot.py RESULTS.json FOLDER"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STYLES = [("Block I/O", "#222222", "--", ""), ("auto", "#d62728", "-", "o"), ("two-phase", "#ff7f0e", "-", "s"),
          ("multi-phase 2", "#9467bd", "-", "^"), ("multi-phase 4", "#8c564b", "-", "v"),
          ("multi-phase 16", "#e377c2", "-", "D"), ("list", "#bcbd22", ":", "x"), ("sieve", "#7f7f7f", ":", "+"),
          ("ROMIO", "#9ecae1", "-", "o"), ("ROMIO tuned", "#1f77b4", "-", "s"), ("OMPIO", "#2ca02c", "-", "^")]
LABELS = {"auto": "Tutti auto", "two-phase": "Tutti two-phase", "list": "Tutti list", "sieve": "Tutti sieve"}
BARS = {"4": 0.7, "16": 0.5}


def label(name):
    return LABELS.get(name, f"Tutti {name}" if name.startswith("multi") else name)


def short(block):
    return f"{block // 1024}Ki" if block >= 1024 else str(block)


def series(by_host, name, op):
    """Block sizes and the best MB/s there."""
    host = "ompio" if name == "OMPIO" else "romio"
    points = []
    for case_name, case in by_host.get(host, {}).items():
        times = case["outcomes"].get(name, {}).get("seconds", {}).get(op)
        if times:
            points.append((int(case_name.split(":")[1]), case["bytes"] / min(times) / 1e6))
    return sorted(points)


def draw(matrix, path, title, axis, value, log_y):
    ranks = sorted(matrix, key=int)
    figure, axes = plt.subplots(2, len(ranks), figsize=(4.6 * len(ranks) + 1, 8), sharex=True, sharey=True, squeeze=False)
    handles = {}
    for column, count in enumerate(ranks):
        for row, op in enumerate(("write", "read")):
            axes_here = axes[row][column]
            for name, colour, line, marker in STYLES:
                points = value(matrix[count], name, op)
                if points:
                    (handles[name],) = axes_here.plot(
                        *zip(*points), color=colour, linestyle=line, marker=marker, markersize=4.5,
                        linewidth=2.4 if name == "auto" else 1.3, zorder=3 if name == "auto" else 2)
            if not log_y and count in BARS:
                axes_here.axhline(BARS[count], color="#d62728", linewidth=0.8, linestyle=(0, (2, 2)))
                axes_here.text(1, BARS[count] + 0.015, f"bar {BARS[count]}", color="#d62728", fontsize=8)
            axes_here.set_xscale("log", base=2)
            blocks = sorted(int(name.split(":")[1]) for name in matrix[count]["romio"])
            axes_here.set_xticks(blocks, [short(block) for block in blocks], fontsize=8)
            axes_here.minorticks_off()
            if log_y:
                axes_here.set_yscale("log")
            else:
                axes_here.set_ylim(0, None)
            axes_here.grid(True, which="major", alpha=0.25)
            axes_here.set_title(f"{op}, {count} ranks", fontsize=10)
            if row == 1:
                axes_here.set_xlabel("Bx, elements of 4 bytes per block")
            if column == 0:
                axes_here.set_ylabel(axis)
    order = [name for name, *_ in STYLES if name in handles]
    figure.legend([handles[name] for name in order], [label(name) for name in order], loc="lower center",
                  ncol=6, frameon=False, fontsize=9)
    figure.suptitle(title, fontsize=12)
    figure.tight_layout(rect=(0, 0.07, 1, 0.99))
    figure.savefig(path, dpi=110)
    plt.close(figure)


def ratio(by_host, name, op):
    """Each launch has its own Block I/O: ratios stay inside a launch."""
    host = "ompio" if name == "OMPIO" else "romio"
    block = dict(series({"romio": by_host.get(host, {})}, "Block I/O", op))
    return [(size, rate / block[size]) for size, rate in series(by_host, name, op) if size in block]


def main():
    results, folder = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2])
    matrix = results["sections"]["matrix"]
    size = results["size"] / 2**20
    place = results["place"]
    draw(matrix, folder / "matrix-rates.png", f"Block-cyclic array of {size:.0f} MiB, {place}: best repetition (no point: cut off)",
         "MB/s", series, True)
    draw(matrix, folder / "matrix-ratios.png", f"Block-cyclic array of {size:.0f} MiB, {place}: best repetition (no point: cut off)",
         "rate / Block I/O", ratio, False)


if __name__ == "__main__":
    main()
