//! The server: sockets on one side, plain functions on the other.
//!
//! Answers are computed on threads that may block, a few at a time, because they read files and play matches.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use lanista_game::Entry;
use lanista_serve::Token;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};

use crate::api;
use crate::configuration::Presets;
use crate::guard::{COOKIE, Guard, unauthorized};
use crate::query::Query;
use crate::recordings::Recordings;
use crate::refusal::Refusal;
use crate::runs::{Following, Runs};
use crate::shared::Shared;
use crate::web::Web;

/// Answers that are computed at the same time.
const AT_ONCE: usize = 4;
/// Questions that may wait for their turn.
const MOST_WAITING: usize = 256;

/// What the page may load: its own files, pictures that it draws itself, and nothing else.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What to serve, and where.
pub struct Config {
    /// Directories of runs, runs, and recordings.
    pub places: Vec<PathBuf>,
    /// Where to listen; port 0 takes any.
    pub listen: SocketAddr,
    /// What whoever asks must show; demanded where others than this machine may ask.
    pub token: Option<Token>,
    /// Reads the page's files from here instead of those embedded.
    pub web: Option<PathBuf>,
    /// The games that matches are played again with.
    pub games: Vec<Entry>,
    /// The presets that runs are compared with: name and text.
    pub presets: &'static [(&'static str, &'static str)],
}

/// A page that cannot be served.
#[derive(Debug, Error)]
pub enum PageError {
    /// The address is taken, or not of this machine.
    #[error("cannot listen on {address}: {error}; choose another port with --port, or 0 for any")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why. Part of the message.
        error: std::io::Error,
    },
    /// Others could read everything.
    #[error("{0} can be reached from other machines: a token is demanded")]
    NoToken(IpAddr),
    /// The system gives no threads.
    #[error("cannot start: {0}")]
    Start(#[from] std::io::Error),
}

/// A page that is being served, until it is stopped.
pub struct Server {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
    stop: Option<oneshot::Sender<()>>,
    served: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
    shared: Arc<Shared>,
    _following: Following,
}

/// What a request needs.
struct Door {
    shared: Arc<Shared>,
    guard: Guard,
    turns: Semaphore,
    waiting: Semaphore,
}

impl Server {
    /// Begins to serve.
    pub fn start(config: Config) -> Result<Self, PageError> {
        let loopback = config.listen.ip().is_loopback();
        if !loopback && config.token.is_none() {
            return Err(PageError::NoToken(config.listen.ip()));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(AT_ONCE + 1)
            .thread_name("page")
            .enable_all()
            .build()?;
        let listening = runtime.block_on(TcpListener::bind(config.listen));
        let listener =
            listening.map_err(|error| PageError::Listen { address: config.listen, error })?;
        let address = listener.local_addr()?;
        let recordings = Recordings::new(&config.places);
        let presets = Presets::new(config.presets).with_games(config.games);
        let runs = Arc::new(Runs::new(config.places, presets));
        let following = runs.follow()?;
        let web = Web { directory: config.web };
        let shared = Arc::new(Shared::new(runs, web, recordings));
        let guard = Guard { loopback, port: address.port(), token: config.token };
        let door = Arc::new(Door {
            shared: shared.clone(),
            guard,
            turns: Semaphore::new(AT_ONCE),
            waiting: Semaphore::new(MOST_WAITING),
        });
        let router = Router::new().fallback(enter).with_state(door);
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async move { stopped.await.unwrap_or_default() };
        let served = runtime.spawn(serve(listener, router, stopped));
        Ok(Self {
            address,
            runtime: Some(runtime),
            stop: Some(stop),
            served: Some(served),
            shared,
            _following: following,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The runs that it serves.
    pub fn runs(&self) -> &Runs {
        &self.shared.runs
    }

    /// Takes no more questions, answers those that were asked, and ends.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(()); // it may have ended by itself
        }
        if let Some(served) = self.served.take() {
            // A browser may keep a connection open for ever.
            let patience = std::time::Duration::from_millis(500);
            let _ = runtime.block_on(async { tokio::time::timeout(patience, served).await });
        }
        runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

async fn serve(
    listener: TcpListener,
    router: Router,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stopped).await
}

async fn enter(State(door): State<Arc<Door>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let answered = match door.guard.check(&parts.method, target, &parts.headers) {
        Ok(()) => answer(&door, parts.uri.path(), parts.uri.query(), &parts.headers).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = answered.unwrap_or_else(|refusal| {
        let mut response = of(refusal.status(), refusal.body(), JSON);
        if refusal.status == 405 {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
        }
        response
    });
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-cache"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

const JSON: &str = "application/json";

async fn answer(
    door: &Arc<Door>,
    path: &str,
    question: Option<&str>,
    headers: &HeaderMap,
) -> Result<Response, Refusal> {
    let query = Query::parse(question.unwrap_or_default())?;
    if door.guard.token.is_some() {
        if let Some(shown) = query.one("token").filter(|_| path == "/") {
            if !door.guard.is_token(shown) {
                return Err(unauthorized());
            }
            return Ok(admitted(shown));
        }
        if !door.guard.admits(headers) {
            return Err(unauthorized());
        }
    }
    if !path.starts_with("/api/") {
        let name =
            if path == "/" { "index.html" } else { path.strip_prefix("/static/").unwrap_or("") };
        let file = door.shared.web.file(name);
        let file = file.ok_or_else(|| Refusal::unknown("file", path, "the page"))?;
        return Ok(of(StatusCode::OK, file.bytes, file.kind));
    }
    let busy = || {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Refusal::new(status, "too much is asked at once", path, "ask again in a moment")
    };
    let _place = door.waiting.try_acquire().map_err(|_| busy())?;
    let _turn = door.turns.acquire().await.map_err(|_| busy())?;
    let (shared, path) = (door.shared.clone(), path.to_owned());
    let computed = tokio::task::spawn_blocking(move || api::answer(&shared, &path, &query)).await;
    match computed {
        Ok(Ok(body)) => Ok(of(StatusCode::OK, body, JSON)),
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer could not be computed",
            "the server",
            "standard error of `lanista watch` says why; report it",
        )),
    }
}

/// The token goes into a cookie, and out of the address.
fn admitted(token: &str) -> Response {
    let mut response = of(StatusCode::SEE_OTHER, Vec::new(), "text/plain");
    let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    response
}

fn of(status: StatusCode, body: Vec<u8>, kind: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
