# SPDX-License-Identifier: Apache-2.0
"""Client of the Causeway decode service: video latents in, frames out.

    with causeway.connect("127.0.0.1:50051") as client:
        with client.open(model="demo", height=192, width=320, dtype="f16", axes="cthw",
                         domain="normalised", pixel_format="rgb24") as session:
            for frame in session.decode(latents):
                ...  # numpy, [192, 320, 3], uint8

causeway.aio is the same for asyncio, causeway.errors has the exceptions.
"""
from causeway import errors
from causeway.client import Client, Session, connect
from causeway.errors import CausewayError
from causeway.messages import (Accepted, ChunkDone, Event, Frame, FrameDropped, Model, Notice,
                               Opened, Pong, ServerInfo, Summary)
from causeway.options import SessionOptions

__version__ = "0.1.0"

__all__ = [
    "Accepted", "CausewayError", "ChunkDone", "Client", "Event", "Frame", "FrameDropped", "Model",
    "Notice", "Opened", "Pong", "ServerInfo", "Session", "SessionOptions", "Summary", "connect",
    "errors",
]
