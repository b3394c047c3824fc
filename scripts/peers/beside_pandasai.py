"""PandasAI over frames of pandas: a language model writes the program."""

from beside_common import frames, readable, work


class PandasAI:
    def __init__(self, model):
        import pandasai
        from pandasai_openai import OpenAI

        class Local(OpenAI):
            """The provider knows the names of OpenAI's models alone."""

            def __init__(self):
                super().__init__(api_token="none", api_base=model, model="gpt-4o", temperature=0)

        pandasai.config.set({"llm": Local(), "verbose": False, "save_logs": False})
        self.pandasai = pandasai

    def open(self, files):
        made, unread = readable(files, frames)
        return [self.pandasai.DataFrame(frame) for _, frame in made], unread

    def ask(self, made, question):
        return {"answer": str(self.pandasai.chat(question, *made))}


work(PandasAI)
