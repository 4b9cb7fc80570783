# SPDX-License-Identifier: Apache-2.0
"""The random configurations of the parity test: one seed gives one list."""

import random
from dataclasses import dataclass

from random_model import LATENT_CHANNELS, ModelShape

EXTENTS = range(1, 10)  # of the latent grid, and of the number of latents
BASE_WIDTHS = (8, 12, 16, 24, 32, 40)
LARGE_BASE_WIDTHS = (48, 64, 96)
ONE_LARGE_IN = 8  # of so many configurations
# Of base width squared x latents x height x width, to which the work is proportional: about 14
# GFLOP each, so that all of them fit into a few minutes on two cores.
WORK_LIMIT = 60_000


@dataclass(frozen=True)
class Config:
    number: int
    weight_seed: int
    latent_seed: int
    shape: ModelShape
    latents: int
    height: int
    width: int
    stored: str  # the type of the weights in the file
    naming: str  # diffusers | original
    file_type: str  # safetensors | pth
    axes: str  # cthw | tchw
    domain: str  # normalised | raw
    latent_dtype: str
    chunks: tuple

    def __str__(self):
        shape = self.shape
        graph = "" if shape.dim_mult == (1, 2, 4, 4) else f" mult {shape.dim_mult}"
        if shape.num_res_blocks != 2:
            graph += f" res_blocks {shape.num_res_blocks}"
        if shape.temperal_downsample != (False, True, True):
            graph += f" temporal {shape.temperal_downsample}"
        return (
            f"#{self.number} base {shape.base_dim}{graph}, {self.latents} latents of "
            f"{self.height}x{self.width}, chunks {','.join(map(str, self.chunks))}, "
            f"{self.naming} {self.stored} {self.file_type}, "
            f"{self.latent_dtype} {self.axes} {self.domain}"
        )


def spread(rng, options, count):
    """`count` of the options in random order, each as often as the next."""
    options, drawn = list(options), []
    while len(drawn) < count:
        rng.shuffle(options)
        drawn += options
    return drawn[:count]


def split(rng, total):
    """Random positive parts of `total`."""
    parts = []
    while total > 0:
        parts.append(rng.randint(1, total))
        total -= parts[-1]
    return tuple(parts)


def base_widths(rng, volumes):
    """The large widths for the smallest volumes; for the rest one that keeps to the work limit."""
    order = sorted(range(len(volumes)), key=volumes.__getitem__)
    widths = {}
    for i, position in enumerate(order[: len(volumes) // ONE_LARGE_IN]):
        widths[position] = LARGE_BASE_WIDTHS[::-1][i % len(LARGE_BASE_WIDTHS)]
    for position in order[len(widths) :]:
        fitting = [b for b in BASE_WIDTHS if b * b * volumes[position] <= WORK_LIMIT]
        widths[position] = rng.choice(fitting)
    return [widths[position] for position in range(len(volumes))]


def statistics(rng):
    mean = tuple(round(rng.uniform(-1.5, 1.5), 4) for _ in range(LATENT_CHANNELS))
    std = tuple(round(rng.uniform(0.5, 2.5), 4) for _ in range(LATENT_CHANNELS))
    return mean, std


def draw(count, seed):
    rng = random.Random(seed)
    latents, heights, widths = (spread(rng, EXTENTS, count) for _ in range(3))
    bases = base_widths(rng, [t * h * w for t, h, w in zip(latents, heights, widths)])
    stored = spread(rng, ["fp32", "fp16", "bf16", "fp32"], count)
    naming = spread(rng, ["diffusers", "diffusers", "original"], count)
    axes = spread(rng, ["cthw", "tchw"], count)
    domain = spread(rng, ["normalised", "raw"], count)
    latent_dtypes = spread(rng, ["fp32", "fp32", "fp16", "bf16"], count)
    # Wan 2.1's graph in most, and what its configuration can vary in some.
    graphs = spread(
        rng,
        [{}] * 5
        + [
            {"dim_mult": (1, 2, 2, 4)},
            {"num_res_blocks": 1},
            {"temperal_downsample": (True, True, False)},
        ],
        count,
    )
    configs, originals = [], 0
    for i in range(count):
        file_type = "safetensors"
        if naming[i] == "original":
            originals += 1
            file_type = "pth" if originals % 2 else "safetensors"
        # A file in the original naming carries no statistics: Wan 2.1's hold.
        mean, std = ((), ()) if naming[i] == "original" else statistics(rng)
        configs.append(
            Config(
                number=i + 1,
                weight_seed=rng.randrange(2**31),
                latent_seed=rng.randrange(2**31),
                shape=ModelShape(bases[i], latents_mean=mean, latents_std=std, **graphs[i]),
                latents=latents[i],
                height=heights[i],
                width=widths[i],
                stored=stored[i],
                naming=naming[i],
                file_type=file_type,
                axes=axes[i],
                domain=domain[i],
                latent_dtype=latent_dtypes[i],
                chunks=split(rng, latents[i]),
            )
        )
    return configs
