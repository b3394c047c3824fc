"""docling, which reads documents with their tables, and Chroma, a vector store. PDF files need models of a hub."""

from beside_common import PASSAGES, PROMPT, Encoder, readable, work


class Docling:
    def __init__(self, model):
        from docling.document_converter import DocumentConverter
        from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker

        self.converter = DocumentConverter()
        self.chunker = HierarchicalChunker()
        self.encoder = Encoder()
        self.model = None
        if model:
            import openai

            self.model = openai.OpenAI(base_url=model, api_key="none", timeout=600, max_retries=0)

    def read(self, path):
        document = self.converter.convert(path).document
        return [self.chunker.contextualize(chunk) for chunk in self.chunker.chunk(document)]

    def open(self, files):
        import chromadb

        made, unread = readable(files, self.read)
        store = chromadb.EphemeralClient().get_or_create_collection("beside", embedding_function=None)
        ids = store.get()["ids"]
        if ids:
            store.delete(ids)
        if made:
            store.add(ids=[str(i) for i in range(len(made))], documents=made, embeddings=[self.encoder.encode(text) for text in made])
        return store, unread

    def ask(self, store, question):
        count = min(PASSAGES, store.count())
        found = store.query(query_embeddings=[self.encoder.encode(question)], n_results=count)["documents"][0] if count else []
        if self.model is None:
            return {"passages": found}
        asked = [{"role": "user", "content": PROMPT.format(context="\n\n".join(found), question=question)}]
        said = self.model.chat.completions.create(model="local", messages=asked, temperature=0)
        return {"answer": said.choices[0].message.content, "passages": found}


work(Docling)
