"""LangChain: an agent over frames of pandas, and its own loaders with its vector store."""

import sys

from beside_common import PASSAGES, PROMPT, Encoder, frames, readable, work


def chat(model):
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="local", base_url=model, api_key="none", temperature=0, timeout=600, max_retries=0)


class Agent:
    """`create_pandas_dataframe_agent` of langchain-experimental, as its page shows it."""

    def __init__(self, model):
        self.model = chat(model)

    def open(self, files):
        made, unread = readable(files, frames)
        return [frame for _, frame in made], unread

    def ask(self, made, question):
        from langchain_experimental.agents import create_pandas_dataframe_agent

        given = made[0] if len(made) == 1 else made
        agent = create_pandas_dataframe_agent(
            self.model, given, agent_type="zero-shot-react-description", allow_dangerous_code=True,
            max_iterations=5, agent_executor_kwargs={"handle_parsing_errors": True},
        )
        return {"answer": agent.invoke({"input": question})["output"]}


class Loaders:
    """A loader for each kind of file, pieces of 1,000 letters, the vector store in memory, and the question with what it found."""

    def __init__(self, model):
        from langchain_core.embeddings import Embeddings

        class Bundled(Embeddings):
            encoder = Encoder()

            def embed_documents(self, texts):
                return [self.encoder.encode(text) for text in texts]

            def embed_query(self, text):
                return self.encoder.encode(text)

        self.model = chat(model) if model else None
        self.encoder = Bundled()

    def read(self, path):
        from langchain_community import document_loaders as loaders

        kind, name = path.suffix.lower(), str(path)
        if kind in (".csv", ".tsv"):
            return loaders.CSVLoader(name, csv_args={"delimiter": "\t" if kind == ".tsv" else ","}).load()
        ways = {
            ".xlsx": "UnstructuredExcelLoader", ".html": "BSHTMLLoader", ".docx": "Docx2txtLoader", ".pdf": "PyPDFLoader",
            ".md": "TextLoader", ".txt": "TextLoader", ".json": "TextLoader", ".jsonl": "TextLoader",
        }
        if kind in ways:
            return getattr(loaders, ways[kind])(name).load()
        return [document for _, frame in frames(path) for document in self.of_frame(frame)]

    def of_frame(self, frame):
        from langchain_core.documents import Document

        return [Document("\n".join(f"{k}: {v}" for k, v in row.items())) for row in frame.to_dict("records")]

    def open(self, files):
        from langchain_core.vectorstores import InMemoryVectorStore
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        made, unread = readable(files, self.read)
        store = InMemoryVectorStore(self.encoder)
        store.add_documents(RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=100).split_documents(made))
        return store, unread

    def ask(self, store, question):
        found = [d.page_content for d in store.similarity_search(question, k=PASSAGES)]
        if self.model is None:
            return {"passages": found}
        said = self.model.invoke(PROMPT.format(context="\n\n".join(found), question=question))
        return {"answer": said.content, "passages": found}


work({"agent": Agent, "loaders": Loaders}[sys.argv[1]])
