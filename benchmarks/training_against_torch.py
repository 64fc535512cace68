#!/usr/bin/env python3
"""Trains the papers' network by PyTorch and by mollify, one after the other on the same samples.

Two features, three hidden layers of 25 with tanh, a sigmoid output, cross-entropy, Nesterov momentum
.9, rate .01, 10000 + 10000 samples (a ring of eight Gaussians, and a normal law), two minibatches
that stay the same in all epochs. Weights start as Glorot's uniform ones on both sides, from different
generators. Both sides train in turn, `--repetitions` times, and the fastest time counts. Run it alone
on a quiet machine. Debian's python3-torch is two to three times slower without libopenblas0.

    benchmarks/training_against_torch.py --ours build/release/benchmarks/train_once --epochs 750
"""

import argparse
import array
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

SAMPLES = 10000
FEATURES = 2


def ring(generator):
    angle = math.pi / 4 * generator.randrange(8)
    return [math.cos(angle) + 0.1 * generator.gauss(0, 1), math.sin(angle) + 0.1 * generator.gauss(0, 1)]


def normal(generator):
    return [generator.gauss(0, 1), generator.gauss(0, 1)]


def samples(seed):
    """Of P and Q, each a list of points, standardised together so that both sides see the same."""
    generator = random.Random(seed)
    both = [ring(generator) for _ in range(SAMPLES)] + [normal(generator) for _ in range(SAMPLES)]
    for f in range(FEATURES):
        mean = sum(point[f] for point in both) / len(both)
        deviation = math.sqrt(sum((point[f] - mean) ** 2 for point in both) / len(both))
        for point in both:
            point[f] = (point[f] - mean) / deviation
    return both[:SAMPLES], both[SAMPLES:]


def train_ours(program, data, epochs):
    with tempfile.NamedTemporaryFile(suffix=".f32") as file:
        for part in data:
            for f in range(FEATURES):
                array.array("f", [point[f] for point in part]).tofile(file)
        file.flush()
        result = subprocess.run([program, file.name, str(SAMPLES), str(epochs)], check=True, text=True,
                                stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def train_torch(torch, data, epochs, minibatches, seed):
    torch.manual_seed(seed)
    layers = []
    sizes = [FEATURES, 25, 25, 25, 1]
    for inputs, outputs in zip(sizes, sizes[1:]):
        linear = torch.nn.Linear(inputs, outputs)
        torch.nn.init.xavier_uniform_(linear.weight)
        torch.nn.init.zeros_(linear.bias)
        layers += [linear, torch.nn.Tanh()]
    model = torch.nn.Sequential(*layers[:-1])
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
    cross_entropy = torch.nn.BCEWithLogitsLoss()
    batches = []
    for m in range(minibatches):
        begin, end = SAMPLES * m // minibatches, SAMPLES * (m + 1) // minibatches
        points = torch.tensor(data[0][begin:end] + data[1][begin:end], dtype=torch.float32)
        targets = torch.cat([torch.ones(end - begin, 1), torch.zeros(end - begin, 1)])
        batches.append((points, targets))
    start = time.perf_counter()
    for _ in range(epochs):
        for points, targets in batches:
            optimiser.zero_grad(set_to_none=True)
            (2 * cross_entropy(model(points), targets)).backward()  # the sum of both classes' means
            optimiser.step()
    seconds = time.perf_counter() - start
    with torch.no_grad():
        loss = sum(cross_entropy(model(points), targets).item() for points, targets in batches)
    return {"seconds": seconds, "cross_entropy": loss / minibatches}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="build/release/benchmarks/train_once", help="the program train_once")
    parser.add_argument("--epochs", type=int, default=100, help="the papers' are 750 (default: 100)")
    parser.add_argument("--repetitions", type=int, default=3, help="default: 3")
    arguments = parser.parse_args()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"  # read when torch is loaded
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is missing: install Debian's package python3-torch, or torch by pip in a virtual environment.")
    if not os.access(arguments.ours, os.X_OK):
        sys.exit(f"{arguments.ours} is missing: build with -DMOLLIFY_BUILD_BENCHMARKS=ON, or name it by --ours.")
    torch.set_num_threads(1)
    data = samples(1)
    ours, theirs = [], []
    for repetition in range(arguments.repetitions):
        ours.append(train_ours(arguments.ours, data, arguments.epochs))
        theirs.append(train_torch(torch, data, arguments.epochs, 2, repetition))
    print(f"| {arguments.epochs} epochs, one thread, best of {arguments.repetitions} | time | cross-entropy |\n|---|---|---|")
    for name, results in (("mollify", ours), (f"PyTorch {torch.__version__}", theirs)):
        best = min(result["seconds"] for result in results)
        losses = ", ".join(f"{result['cross_entropy']:.4f}" for result in results)
        print(f"| {name} | {best:.2f} s | {losses} |")


if __name__ == "__main__":
    main()
