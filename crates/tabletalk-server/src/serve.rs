//! Starting and ending the server.

use crate::app::App;
use crate::guard::guard;
use crate::problem::Problem;
use crate::shelf::Shelf;
use crate::{api, mcp, page, task, upload, watch};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::serve::ListenerExt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tabletalk_library::{Config, Error, Result};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::CorsLayer;

/// How long requests in work may take when the server ends.
const LAST: Duration = Duration::from_secs(20);

/// How long readers may take then.
const LAST_READER: Duration = Duration::from_millis(1500);

/// What is served.
pub struct Setup {
    /// The configuration.
    pub config: Config,
    /// The folder of the default library; made when there is none.
    pub library: PathBuf,
    /// Told where the server listens.
    pub on_listening: Box<dyn FnOnce(SocketAddr) + Send>,
}

/// Serves until the process is asked to end.
pub fn serve(setup: Setup) -> Result<()> {
    // The pool reads files; those who search must not wait for it. Where there is a pool already, it stays as it is.
    let _ = rayon::ThreadPoolBuilder::new().start_handler(|_| task::give_way()).build_global();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(run(setup));
    runtime.shutdown_timeout(Duration::from_secs(5));
    done
}

async fn run(setup: Setup) -> Result<()> {
    let server = setup.config.server.clone();
    let address = server.listen.to_socket_addrs().ok().and_then(|mut all| all.next()).ok_or_else(|| {
        Error::input(format!("`{}` is no address to listen at", server.listen)).hint("such as 127.0.0.1:7700")
    })?;
    let shelves = shelves(&setup.config, &setup.library)?;
    let app = Arc::new(App::new(setup.config, shelves, address.ip().is_loopback())?);
    if !app.is_loopback && !app.keys.any() {
        return Err(Error::input(format!(
            "{address} can be reached from other machines, and there is no API key"
        ))
        .hint("make one with `tabletalk key add NAME --role admin`, or listen at 127.0.0.1"));
    }
    let mut workers = Vec::new();
    for shelf in app.shelves() {
        upload::sweep(&shelf.dir)?;
        workers.push(task::begin(app.clone(), shelf)?);
    }
    watch::begin(&app);
    tokio::spawn(watch::catch_up(app.clone()));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(|e| {
        Error::input(format!("cannot listen at {address}: {e}")).hint("is another server running there?")
    })?;
    let bound = listener.local_addr()?;
    tracing::info!(address = %bound, "listening");
    (setup.on_listening)(bound);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let routes = routes(&app).into_make_service_with_connect_info::<SocketAddr>();
    let ending = app.clone();
    let serving = axum::serve(listener, routes).with_graceful_shutdown(asked_to_end(ending.clone()));
    let mut ended = ending.stopping.subscribe();
    tokio::select! {
        done = async { serving.await } => done?,
        () = async {
            let _ = ended.wait_for(|s| *s).await;
            tokio::time::sleep(LAST).await;
        } => tracing::warn!("some requests were cut off"),
    }
    let (over, joined) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        workers.into_iter().for_each(|w| drop(w.join()));
        let _ = over.send(());
    });
    tokio::select! {
        _ = joined => {}
        () = given_up(&ending) => {
            tracing::warn!("a task did not stop in time; it begins again with the next start");
        }
    }
    tracing::info!("ended");
    Ok(())
}

/// Waits until it is no use to wait for tasks: what writes comes to its end, but a reader may be inside one large part of a
/// file and hear nothing. It may be cut off at any time.
async fn given_up(app: &App) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < LAST {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let is_reading = app.shelves().iter().any(|shelf| shelf.tasks.is_reading());
        if is_reading && begun.elapsed() > LAST_READER {
            return;
        }
    }
}

/// The default library, those that were named, and those in the folder for them.
fn shelves(config: &Config, default: &std::path::Path) -> Result<Vec<Arc<Shelf>>> {
    let mut places = vec![("default".to_owned(), default.to_owned())];
    places.extend(config.server.library.iter().map(|l| (l.name.clone(), l.path.clone())));
    if let Some(dir) = &config.server.libraries_dir {
        std::fs::create_dir_all(dir)?;
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            if path.join("library.sqlite").exists() {
                places.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path));
            }
        }
    }
    let mut shelves: Vec<Arc<Shelf>> = Vec::new();
    for (name, path) in places {
        if shelves.iter().any(|s| s.name == name) {
            return Err(
                Error::input(format!("there are two libraries `{name}`")).hint("give one another name")
            );
        }
        shelves.push(Arc::new(Shelf::open(&name, path, config)?));
    }
    Ok(shelves)
}

pub(crate) fn routes(app: &Arc<App>) -> Router {
    let server = app.config().server;
    let (api, description) = api::routes().split_for_parts();
    let description = serde_json::to_string(&description).unwrap_or_default();
    let described = move || {
        let text = description.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], text) }
    };
    let mut router = Router::new()
        .merge(api)
        .merge(page::routes())
        .route("/openapi.json", get(described))
        .with_state(app.clone())
        .nest_service("/mcp", mcp::service(app))
        .fallback(|| async {
            Problem::from(
                Error::missing("there is nothing at this address")
                    .hint("/openapi.json describes what there is"),
            )
        })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "input", "this address does not take this method")
                .hint("/openapi.json describes what there is")
        })
        .layer(DefaultBodyLimit::max(server.max_body_bytes))
        .layer(CatchPanicLayer::custom(|_| {
            Problem::from(Error::bug("this failed inside the program")).into_response()
        }))
        .layer(from_fn_with_state(app.clone(), guard));
    let origins: Vec<HeaderValue> = server.allow_origins.iter().filter_map(|o| o.parse().ok()).collect();
    if !origins.is_empty() {
        let methods = [Method::GET, Method::POST, Method::PUT, Method::DELETE];
        let cors = CorsLayer::new().allow_origin(origins).allow_methods(methods);
        router = router.layer(cors.allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE]));
    }
    router
}

/// Waits for Ctrl-C or a request to end; then nothing new is begun. A second one ends the process at once.
async fn asked_to_end(app: Arc<App>) {
    signal().await;
    tracing::info!("ending: requests in work are finished, tasks are put aside");
    app.stopping.send_replace(true);
    app.shelves().iter().for_each(|shelf| shelf.tasks.close());
    tokio::spawn(async {
        signal().await;
        std::process::exit(130);
    });
}

async fn signal() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    #[cfg(unix)]
    {
        let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(stream) => stream,
            Err(_) => return interrupt.await,
        };
        tokio::select! {
            () = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
