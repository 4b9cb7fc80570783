# SPDX-License-Identifier: Apache-2.0
"""Random Wan 2.1 VAEs (diffusers' AutoencoderKLWan), their files, and diffusers' decode of them.

The weights are drawn so that a comparison can see something: with PyTorch's default
initialisation the picture has a deviation of a few hundredths. Here every convolution has normal
weights of deviation gain / sqrt(fan_in), which keeps the deviation of a normalised input (RMS norm
and SiLU in front halve its square to 0.36 of it); biases and norm gains vary too, so that one which
is skipped or swapped shows. The gain of the last convolution sets the picture's deviation to about
0.4, of which the clamp to [-1, 1] cuts off about one value in a hundred.
"""

import copy
import re
from dataclasses import dataclass
from pathlib import Path

import diffusers
import torch
from diffusers import AutoencoderKLWan
from safetensors.torch import save_file

# Otherwise every cast to a 16-bit type warns that the model has no module to be kept in fp32.
diffusers.utils.logging.set_verbosity_error()

LATENT_CHANNELS = 16
STORED_DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
HEAD_GAIN = 0.65


@dataclass(frozen=True)
class ModelShape:
    """What of AutoencoderKLWan's configuration shapes the decoder."""

    base_dim: int
    dim_mult: tuple = (1, 2, 4, 4)
    num_res_blocks: int = 2
    temperal_downsample: tuple = (False, True, True)
    # Empty: Wan 2.1's own.
    latents_mean: tuple = ()
    latents_std: tuple = ()

    def arguments(self):
        values = {
            "base_dim": self.base_dim,
            "z_dim": LATENT_CHANNELS,
            "dim_mult": list(self.dim_mult),
            "num_res_blocks": self.num_res_blocks,
            "temperal_downsample": list(self.temperal_downsample),
        }
        if self.latents_mean:
            values["latents_mean"] = list(self.latents_mean)
            values["latents_std"] = list(self.latents_std)
        return values


def random_model(shape, seed, stored):
    """A model whose weights are exactly what `stored` can hold, computing in fp32."""
    with torch.device("meta"):
        model = AutoencoderKLWan(**shape.arguments())
    model = model.to_empty(device="cpu").eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        weight.normal_(generator=generator)
        if name.endswith("gamma"):
            weight.mul_(0.1).add_(1.0)
        elif name.endswith("bias"):
            weight.mul_(0.1)
        else:
            gain = HEAD_GAIN if name.startswith("decoder.conv_out") else 1.0
            weight.mul_(gain / weight[0].numel() ** 0.5)
        weight.copy_(weight.to(STORED_DTYPES[stored]))
    return model


def decoder_tensors(model, stored):
    """What decoding needs, in diffusers' naming and the stored type."""
    return {
        name: tensor.to(STORED_DTYPES[stored]).contiguous()
        for name, tensor in model.state_dict().items()
        if name.startswith(("decoder.", "post_quant_conv."))
    }


def save_diffusers(model, stored, folder):
    """A diffusers folder of the whole model."""
    copy.deepcopy(model).to(STORED_DTYPES[stored]).save_pretrained(folder)


def original_name(name, res_blocks):
    """diffusers' name of a decoder-side tensor -> the name in Wan 2.1's own file."""

    def upsample(match):
        stage, kind, index = int(match[1]), match[2], int(match[3])
        position = index if kind == "resnets" else res_blocks
        return f"decoder.upsamples.{stage * (res_blocks + 1) + position}."

    name = re.sub(r"^decoder\.up_blocks\.(\d+)\.(resnets|upsamplers)\.(\d+)\.", upsample, name)
    for new, old in (
        ("post_quant_conv.", "conv2."),
        ("decoder.conv_in.", "decoder.conv1."),
        ("decoder.conv_out.", "decoder.head.2."),
        ("decoder.norm_out.", "decoder.head.0."),
        ("decoder.mid_block.resnets.0.", "decoder.middle.0."),
        ("decoder.mid_block.attentions.0.", "decoder.middle.1."),
        ("decoder.mid_block.resnets.1.", "decoder.middle.2."),
    ):
        if name.startswith(new):
            name = old + name.removeprefix(new)
    if re.match(r"decoder\.(middle\.[02]|upsamples\.\d+)\.", name):
        for new, old in (
            (".norm1.", ".residual.0."),
            (".conv1.", ".residual.2."),
            (".norm2.", ".residual.3."),
            (".conv2.", ".residual.6."),
            (".conv_shortcut.", ".shortcut."),
        ):
            name = name.replace(new, old)
    return name


def save_original(model, stored, path, with_encoder):
    """One file in the original naming, of torch.save (.pth) or a safetensors one. With some of the
    encoder's tensors, which a whole file has too and which a decoder has to leave alone."""
    res_blocks = model.config.num_res_blocks + 1
    tensors = {
        original_name(name, res_blocks): tensor
        for name, tensor in decoder_tensors(model, stored).items()
    }
    if with_encoder:
        state = model.state_dict()
        for part in ("weight", "bias"):
            for old, new in (("conv1", "quant_conv"), ("encoder.conv1", "encoder.conv_in")):
                tensors[f"{old}.{part}"] = state[f"{new}.{part}"].to(STORED_DTYPES[stored])
    if Path(path).suffix == ".pth":
        torch.save(tensors, path)
    else:
        save_file(tensors, Path(path))


def un_normalise(model, latents):
    """[C, T, h, w] as a diffusion model emits it -> what decode() takes."""
    mean = torch.tensor(model.config.latents_mean).view(-1, 1, 1, 1)
    std = torch.tensor(model.config.latents_std).view(-1, 1, 1, 1)
    return latents * std + mean


def decode(model, raw_latents):
    """[C, T, h, w] -> [frames, 3, 8h, 8w], clamped to [-1, 1] as diffusers does."""
    frames = model.decode(raw_latents[None].float()).sample[0]
    return frames.permute(1, 0, 2, 3).contiguous()
