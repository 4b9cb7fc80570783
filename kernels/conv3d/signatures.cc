// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/signatures.h"

namespace causeway::kernels {
namespace {

constexpr auto kSeed = SignatureSource::kSeed;
constexpr auto kDecoder = SignatureSource::kDecoder;
constexpr auto kHostile = SignatureSource::kHostile;

constexpr Signature kSignatures[] = {
    {kSeed, 0, 96, 96, 3, 3, 4, 704, 320, 2926.7, 3678.0, "up3, later latent"},
    {kSeed, 1, 192, 192, 3, 3, 4, 352, 160, 1759.7, 2130.8, "up2, later latent"},
    {kSeed, 2, 384, 384, 3, 3, 2, 176, 80, 1016.5, 1129.5, "up1, later latent"},
    {kSeed, 3, 384, 384, 3, 3, 1, 88, 40, 147.5, 180.3, "mid and up0, every latent"},
    {kSeed, 4, 192, 384, 3, 3, 2, 176, 80, 519.7, 604.0, "up1 widens, later latent"},
    {kSeed, 5, 384, 768, 3, 1, 2, 176, 80, 130.0, 299.1, "up1 time convolution"},
    {kSeed, 6, 96, 96, 3, 3, 1, 704, 320, 739.0, 1006.0, "up3, first latent"},
    {kSeed, 7, 192, 192, 3, 3, 1, 352, 160, 427.0, 562.5, "up2, first latent"},
    {kSeed, 8, 384, 384, 3, 3, 1, 176, 80, 504.9, 585.4, "up1, first latent"},
    {kSeed, 9, 96, 3, 3, 3, 4, 704, 320, 1148.1, 1515.0, "head, later latent"},
    {kSeed, 10, 384, 768, 3, 1, 1, 88, 40, 27.6, 74.8, "up0 time convolution"},
    {kSeed, 11, 192, 384, 1, 1, 2, 176, 80, 33.6, 81.0, "shortcut, later latent"},
    {kSeed, 12, 192, 384, 3, 3, 1, 176, 80, 247.3, 306.4, "up1 widens, first latent"},
    {kSeed, 13, 16, 384, 3, 3, 1, 88, 40, 29.4, 42.4, "conv_in"},
    {kSeed, 14, 96, 3, 3, 3, 1, 704, 320, 324.3, 502.6, "head, first latent"},
    {kSeed, 15, 192, 384, 1, 1, 1, 176, 80, 20.5, 36.7, "shortcut, first latent"},
    {kSeed, 16, 16, 16, 1, 1, 3, 88, 160, 5.8, 10.5, "after un-normalising, whole chunk"},

    {kDecoder, -1, 16, 16, 3, 3, 4, 192, 320, 0, 0, "base 16, up3: the demo model"},
    {kDecoder, -1, 32, 32, 3, 3, 4, 96, 160, 0, 0, "base 16, up2"},
    {kDecoder, -1, 32, 64, 3, 3, 2, 48, 80, 0, 0, "base 16, up1 widens"},
    {kDecoder, -1, 64, 64, 3, 3, 1, 24, 40, 0, 0, "base 16, mid"},
    {kDecoder, -1, 24, 24, 3, 3, 4, 704, 1280, 0, 0, "base 24, up3: channels padded to 32"},
    {kDecoder, -1, 48, 48, 3, 3, 4, 352, 640, 0, 0, "base 24, up2"},
    {kDecoder, -1, 96, 96, 3, 3, 4, 704, 1280, 0, 0, "base 96, up3, whole frame"},
    {kDecoder, -1, 384, 384, 3, 3, 1, 1, 1, 0, 0, "a latent grid of one"},

    {kHostile, -1, 8, 8, 3, 3, 1, 1, 1, 0, 0, "one pixel: every tap but the centre is padding"},
    {kHostile, -1, 16, 16, 3, 3, 3, 1, 37, 0, 0, "one row, the width no multiple of a tile"},
    {kHostile, -1, 16, 16, 3, 3, 3, 37, 1, 0, 0, "one column"},
    {kHostile, -1, 96, 96, 3, 3, 2, 17, 33, 0, 0, "one more than the tile each way"},
    {kHostile, -1, 96, 96, 3, 3, 1, 15, 15, 0, 0, "one less than the tile each way"},
    {kHostile, -1, 40, 56, 3, 3, 2, 9, 10, 0, 0, "channels that fill neither chunk nor tile"},
    {kHostile, -1, 8, 384, 3, 3, 1, 8, 8, 0, 0, "fewer channels in than a chunk, all out"},
    {kHostile, -1, 384, 8, 3, 3, 1, 8, 9, 0, 0, "many channels in, one unit out"},
    {kHostile, -1, 192, 192, 3, 3, 5, 8, 16, 0, 0, "exactly one tile, five frames"},
};

}  // namespace

std::span<const Signature> Signatures() { return kSignatures; }

}  // namespace causeway::kernels
