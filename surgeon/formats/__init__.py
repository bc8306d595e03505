"""Wire formats: one file each, plus detection, loading and the wire rules."""

from surgeon.formats.detect import FORMATS, detect, get, resolve
from surgeon.formats.load import Loaded, Wrapper, dump, load_conversation, save_conversation
from surgeon.formats.wire import check_wire, repair_wire

__all__ = [
    "FORMATS",
    "Loaded",
    "Wrapper",
    "check_wire",
    "detect",
    "dump",
    "get",
    "load_conversation",
    "repair_wire",
    "resolve",
    "save_conversation",
]
