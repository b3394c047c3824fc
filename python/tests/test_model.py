"""Streaming, with a language model that is a small server of the test."""

import http.server
import json
import threading
import time

import pytest

import tabletalk

PIECES = ["There ", "are ", "12 ", "people."]


class Model(http.server.BaseHTTPRequestHandler):
    """Speaks as much of OpenAI's protocol as is asked for. With `slow`, a word takes a while."""

    slow = False

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in PIECES * (200 if self.slow else 1):
            said = {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            try:
                self.wfile.write(f"data: {json.dumps(said)}\n\n".encode())
                self.wfile.flush()
            except OSError:
                return
            time.sleep(0.05 if self.slow else 0)
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def with_model(tmp_path):
    """A library that asks the model; whether it is slow can be set."""
    Model.slow = False
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        config = {"chat": {"provider": "openai", "url": url, "model": "small"}, "embedding": {"at_add": False}}
        with tabletalk.Library(tmp_path, config=config) as library:
            library.add([{"name": "Ann", "site": "Oslo"}, {"name": "Bo", "site": "Paris"}], name="staff")
            yield library
        server.shutdown()


def test_text_comes_as_it_is_written(with_model):
    heard = []
    with_model.ask("Who is there, and why?", on_text=heard.append)
    assert "".join(heard).startswith("".join(PIECES)) and len(heard) >= len(PIECES)
    with with_model.stream("Who is there, and for how long?") as stream:
        assert "".join(stream).startswith("There are 12")
        assert stream.answer.usage.calls >= 1


def test_a_listener_that_raises_ends_the_question(with_model):
    def enough(text):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        with_model.ask("Who is there?", on_text=enough)


def test_a_stream_that_is_left_stops_the_work(with_model):
    Model.slow = True
    begun = time.perf_counter()
    with with_model.stream("Who is there?") as stream:
        assert next(stream)
    with pytest.raises(ValueError, match="closed"):
        stream.answer
    assert time.perf_counter() - begun < 20
