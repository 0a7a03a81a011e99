"""Starts llama.cpp's HTTP server on the loopback and waits to be ended.

Arguments: weights, chat template, port.
"""

import signal
import sys

import xllamacpp

# A model that does not stop is cut here, which is a case worth having too.
TOKENS_MAX = 250
CONTEXT_TOKENS = 8192


def main(weights, template, port):
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {"local"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT_TOKENS
    params.n_predict = TOKENS_MAX
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # Several threads wait for each other at every layer: beside other work that is slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    # The same words for the same question, on one machine.
    params.sampling.temp = 0.0
    params.offline = True
    params.ui = False
    params.use_jinja = True
    with open(template, encoding="utf-8") as file:
        params.chat_template = file.read()
    server = xllamacpp.Server(params)
    print("listening at", server.listening_address, flush=True)
    signal.pause()


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
