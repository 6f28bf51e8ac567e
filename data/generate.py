#!/usr/bin/env python3
"""Writes rings.csv and moons.csv, always the same, into the folder of this script."""
import math
import os


class Random:
    """SplitMix64: the same numbers in every version of every language."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def uniform(self):
        return ((self.bits() >> 12) + 0.5) * 2.0**-52

    def normal(self):
        radius, turn = self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(radius)) * math.cos(2 * math.pi * turn)


def ring(inner, turn):
    radius, angle = 1 if inner else 3, 2 * math.pi * turn
    return radius * math.cos(angle), radius * math.sin(angle)


def moon(upper, turn):
    angle = math.pi * turn
    return (math.cos(angle), math.sin(angle)) if upper else (1 - math.cos(angle), 0.5 - math.sin(angle))


def write(name, seed, shape, noise, classes):
    random = Random(seed)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "w") as file:
        file.write("x,y,class\n")
        for i in range(300):
            first = i % 2 == 0
            x, y = shape(first, (i // 2 + random.uniform()) / 150)
            x += noise * random.normal()
            y += noise * random.normal()
            file.write(f"{x:.4f},{y:.4f},{classes[0] if first else classes[1]}\n")


write("rings.csv", 1, ring, 0.15, ("inner", "outer"))
write("moons.csv", 2, moon, 0.05, ("upper", "lower"))
