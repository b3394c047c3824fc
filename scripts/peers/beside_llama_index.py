"""LlamaIndex: its vector index over what its directory reader makes of the files, and its query engine over frames of pandas."""

import sys

from beside_common import PASSAGES, Encoder, frames, readable, work


def chat(model):
    from llama_index.llms.openai_like import OpenAILike

    return OpenAILike(
        model="local", api_base=model, api_key="none", is_chat_model=True, temperature=0, context_window=8192, timeout=600, max_retries=0
    )


class Index:
    def __init__(self, model):
        from llama_index.core.embeddings import BaseEmbedding

        encoder = Encoder()

        class Bundled(BaseEmbedding):
            def _get_text_embedding(self, text):
                return encoder.encode(text)

            _get_query_embedding = _get_text_embedding

            async def _aget_query_embedding(self, text):
                return encoder.encode(text)

        self.encoder = Bundled()
        self.model = chat(model) if model else None

    def open(self, files):
        from llama_index.core import SimpleDirectoryReader, VectorStoreIndex

        read = lambda path: SimpleDirectoryReader(input_files=[path], raise_on_error=True).load_data()
        made, unread = readable(files, read)
        return VectorStoreIndex.from_documents(made, embed_model=self.encoder), unread

    def ask(self, index, question):
        if self.model is None:
            found = index.as_retriever(similarity_top_k=PASSAGES).retrieve(question)
            return {"passages": [node.get_content() for node in found]}
        said = index.as_query_engine(llm=self.model, similarity_top_k=PASSAGES).query(question)
        return {"answer": str(said), "passages": [node.get_content() for node in said.source_nodes]}


class Frames:
    """`PandasQueryEngine` takes one frame: of several files the first that its question shares most words with."""

    def __init__(self, model):
        self.model = chat(model)

    def open(self, files):
        return readable(files, frames)

    def ask(self, made, question):
        from llama_index.experimental.query_engine import PandasQueryEngine

        asked = set(question.lower().split())
        shared = lambda pair: len(asked & set(f"{pair[0]} {' '.join(map(str, pair[1].columns))}".lower().split()))
        name, frame = max(made, key=shared)
        return {"answer": str(PandasQueryEngine(df=frame, llm=self.model).query(question))}


work({"index": Index, "frames": Frames}[sys.argv[1]])
