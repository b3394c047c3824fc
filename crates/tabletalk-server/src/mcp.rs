//! The Model Context Protocol: the library as tools of a language model, over standard input and over HTTP.

use crate::api::ask::{By, Waiting, answer};
use crate::api::search::search;
use crate::app::App;
use crate::guard::{Access, Caller, READ};
use crate::problem::Problem;
use crate::shelf::Shelf;
use crate::work::{blocking, statement};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, Extensions, ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use tabletalk_library::store::StoredTable;
use tabletalk_library::{AskRequest, Config, Error, Library, Result, SearchRequest, view};

/// Citations that a model is shown.
const CITATIONS: usize = 20;
/// Rows of a table or result that a model is shown, where it does not say how many.
const ROWS: usize = 50;
/// Hits that a model is given, where it does not say how many.
const HITS: usize = 6;
/// The argument of every tool that names the library.
const LIBRARY: &str = "library";

/// The tools.
#[derive(Clone)]
pub(crate) struct Mcp {
    app: Arc<App>,
    tool_router: ToolRouter<Self>,
}

/// The arguments of a tool, and the library that they are for.
struct In<T> {
    library: Option<String>,
    asked: T,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for In<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let mut all = Map::<String, Value>::deserialize(from)?;
        let library = all.shift_remove(LIBRARY).unwrap_or_default();
        let library = Option::<String>::deserialize(library).map_err(D::Error::custom)?;
        let asked = T::deserialize(Value::Object(all)).map_err(D::Error::custom)?;
        Ok(In { library, asked })
    }
}

impl<T: JsonSchema> JsonSchema for In<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let library = json!({
            "description": "The library; the default one when it is not named.",
            "type": ["string", "null"],
        });
        let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert(LIBRARY.into(), library);
        }
        schema
    }
}

#[derive(Deserialize, JsonSchema)]
struct Sql {
    /// One SELECT statement; names with other characters than letters, digits and _ in double quotes.
    statement: String,
}

#[derive(Deserialize, JsonSchema)]
struct Tables {
    /// Only those whose name contains this.
    containing: Option<String>,
    /// The most tables (default 50).
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct Show {
    /// The id or name of a document, a table or a node.
    id: String,
    /// The most rows of each table (default 50).
    rows: Option<usize>,
    /// Only what stands on this page.
    page: Option<u32>,
}

#[tool_router(router = tool_router)]
impl Mcp {
    pub(crate) fn new(app: Arc<App>) -> Mcp {
        Mcp { app, tool_router: Self::tool_router() }
    }

    #[tool(
        description = "Find tables, rows, cells and passages by words and meaning; each hit has its place.",
        annotations(read_only_hint = true)
    )]
    async fn search(
        &self,
        Parameters(In { library, asked }): Parameters<In<SearchRequest>>,
        extensions: Extensions,
    ) -> CallToolResult {
        let app = self.app.clone();
        let is_open = asked.strategy.is_none() && asked.tokens.is_none();
        let topk = asked.topk.or(is_open.then_some(HITS));
        let asked = SearchRequest { topk, ..asked };
        self.on(&extensions, library, move |at| Ok(json!({"hits": search(&app, at, asked)?.hits}))).await
    }

    #[tool(
        description = "Answer a question over all rows of the tables and documents, with the program that was run and citations to the cell.",
        annotations(read_only_hint = true)
    )]
    async fn ask(
        &self,
        Parameters(In { library, asked }): Parameters<In<AskRequest>>,
        extensions: Extensions,
    ) -> CallToolResult {
        self.answer(library, asked, extensions, Library::ask).await
    }

    #[tool(
        description = "Say whether a statement is supported or refuted by the tables and documents, with citations.",
        annotations(read_only_hint = true)
    )]
    async fn verify(
        &self,
        Parameters(In { library, asked }): Parameters<In<AskRequest>>,
        extensions: Extensions,
    ) -> CallToolResult {
        self.answer(library, asked, extensions, Library::verify).await
    }

    #[tool(
        description = "Run one read-only SQL statement over the tables.",
        annotations(read_only_hint = true)
    )]
    async fn sql(
        &self,
        Parameters(In { library, asked }): Parameters<In<Sql>>,
        extensions: Extensions,
    ) -> CallToolResult {
        let (waiting, stop) = Waiting::new();
        let work = move |at: &Access<READ>| {
            let mut value = view::ran(&at.shelf.library().sql_until(&asked.statement, &stop)?);
            if let Some(rows) = value["rows"].as_array_mut() {
                rows.truncate(10 * ROWS);
            }
            Ok(value)
        };
        let ran = match self.access(&extensions, library.as_deref()) {
            Ok(at) => statement(&self.app, &at.caller.clone(), move || work(&at)).await,
            Err(problem) => Err(problem),
        };
        drop(waiting);
        told(ran)
    }

    #[tool(
        description = "List the tables with their columns, types and numbers of rows.",
        annotations(read_only_hint = true)
    )]
    async fn tables(
        &self,
        Parameters(In { library, asked }): Parameters<In<Tables>>,
        extensions: Extensions,
    ) -> CallToolResult {
        self.on(&extensions, library, move |at| {
            let part = asked.containing.unwrap_or_default();
            let most = asked.limit.unwrap_or(ROWS).clamp(1, 500);
            let library = at.shelf.library();
            let is_wanted = |t: &StoredTable| t.name.contains(&part);
            let wanted = library.every_table().filter(|t| t.as_ref().map_or(true, is_wanted)).take(most);
            let tables = wanted.map(|t| Ok(view::table(&t?))).collect::<Result<Vec<Value>>>()?;
            let total = library.counts()?.tables;
            Ok(json!({"tables": tables, "total": total}))
        })
        .await
    }

    #[tool(
        description = "Show a document, a table with its rows, or a node, with the place of every cell.",
        annotations(read_only_hint = true)
    )]
    async fn show(
        &self,
        Parameters(In { library, asked }): Parameters<In<Show>>,
        extensions: Extensions,
    ) -> CallToolResult {
        self.on(&extensions, library, move |at| {
            let library = at.shelf.library();
            let rows = asked.rows.unwrap_or(ROWS).min(1000);
            match view::named(&library, &asked.id)? {
                view::Named::Document(key) => view::document(&library, key, rows, asked.page),
                view::Named::Table(stored) => view::full_table(&stored, rows, None),
                view::Named::Node(node) => Ok(view::node(&node)),
            }
        })
        .await
    }

    async fn answer(
        &self,
        library: Option<String>,
        asked: AskRequest,
        extensions: Extensions,
        by: By,
    ) -> CallToolResult {
        let app = self.app.clone();
        let (waiting, stop) = Waiting::new();
        let answered = self
            .on(&extensions, library, move |at| {
                let mut value = view::answer(&answer(&app, at, asked, by, stop, &mut |_| {})?);
                if let Some(fields) = value.as_object_mut() {
                    fields.remove("trace");
                }
                if let Some(citations) = value["citations"].as_array_mut() {
                    citations.truncate(CITATIONS);
                }
                Ok(value)
            })
            .await;
        drop(waiting);
        answered
    }

    /// Does something with the library that was named, when the caller may.
    async fn on(
        &self,
        extensions: &Extensions,
        library: Option<String>,
        work: impl FnOnce(&Access<READ>) -> Result<Value> + Send + 'static,
    ) -> CallToolResult {
        let done = match self.access(extensions, library.as_deref()) {
            Ok(access) => blocking(&self.app, move || work(&access)).await,
            Err(problem) => Err(problem),
        };
        told(done)
    }

    fn access(
        &self,
        extensions: &Extensions,
        library: Option<&str>,
    ) -> std::result::Result<Access<READ>, Problem> {
        let shelf = self.app.shelf(library)?;
        let parts = extensions.get::<axum::http::request::Parts>();
        // Over standard input there is no caller but the one who started the program.
        let Some(parts) = parts else { return Ok(Access { shelf, caller: Caller::local() }) };
        let caller = parts.extensions.get::<Caller>().filter(|c| c.role.is_some());
        let caller = caller.ok_or_else(|| Problem::key("this needs a key"))?;
        match caller.may_use(&shelf.name) {
            true => Ok(Access { shelf, caller: caller.clone() }),
            false => Err(Problem::forbidden(format!("key `{}` is not for this library", caller.name))),
        }
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_instructions(
            "Tables and documents of the user. Use `ask` for a question about figures: it computes over all rows \
             and cites cells. Use `tables` and `sql` to compute something yourself, `search` to find passages, and \
             `show` to read them.",
        )
    }
}

/// The service for `/mcp`. Hosts and keys are checked before it.
pub(crate) fn service(app: &Arc<App>) -> StreamableHttpService<Mcp, LocalSessionManager> {
    let shared = app.clone();
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    StreamableHttpService::new(move || Ok(Mcp::new(shared.clone())), Arc::default(), config)
}

/// Serves a library over standard input and output, until that is closed.
pub fn stdio(config: Config, library: PathBuf) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let shelf = Arc::new(Shelf::open("default", library, &config)?);
        let app = Arc::new(App::new(config, vec![shelf], true)?);
        let failed = |e: &dyn std::fmt::Display| Error::io(format!("standard input: {e}"));
        let running = Mcp::new(app).serve(rmcp::transport::stdio()).await.map_err(|e| failed(&e))?;
        running.waiting().await.map_err(|e| failed(&e))?;
        Ok(())
    })
}

fn told(done: std::result::Result<Value, Problem>) -> CallToolResult {
    match done {
        Ok(value) => CallToolResult::structured(value),
        Err(problem) => CallToolResult::structured_error(json!({ "error": problem.body })),
    }
}
