"""Fits whose passes are saved."""
import os


def saving(checkpoint, resume):
    """The options of such a fit; none without a folder."""
    if checkpoint is None:
        if resume:
            raise ValueError("resume=True requires checkpoint, the folder to continue from")
        return {}
    return {"checkpoint": os.fspath(checkpoint), "resume": bool(resume)}
