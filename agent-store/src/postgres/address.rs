//! The URL of a database: where it is, and how it is used.

use super::tls::Tls;
use agent_core::conversation::StoreError;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// The form of a URL, for errors.
const FORM: &str = "`postgres://USER:PASSWORD@HOST:5432/DATABASE`";

/// A database, as its URL describes it.
pub(super) struct Address {
    /// The configuration, with the password. Its `Debug` does not print the password.
    pub(super) config: Config,
    pub(super) tls: Tls,
    /// The hosts and the name of the database, for errors.
    pub(super) place: String,
    /// The role, for errors.
    pub(super) user: String,
    /// The schema of the tables; `None` for the first of the role's own search path.
    pub(super) schema: Option<String>,
    /// The maximum number of connections.
    pub(super) connections: usize,
    /// The longest time of an operation, which is repeated while the database cannot be reached.
    pub(super) operation_timeout: Duration,
}

impl Address {
    /// Parses a URL. No error quotes it, because it may have a password.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let is_url = ["postgres://", "postgresql://"].iter();
        if !is_url.clone().any(|scheme| url.starts_with(scheme)) {
            return Err(StoreError::unavailable(format!(
                "the text is no URL of a PostgreSQL database; write {FORM}"
            )));
        }
        let begin = url.find("://").map_or(0, |at| at + "://".len());
        let end = url[begin..].find(['/', '?']);
        let end = end.map_or(url.len(), |at| begin + at);
        // The text after a wrong `@` would be parsed as a host or a parameter, which errors quote.
        let after = match url.find('@') {
            None => 0,
            Some(at) if url[at + 1..].contains('@') => {
                return Err(bad_url(
                    "it has more than one `@`; write an `@` of the password or of a parameter as `%40`",
                ));
            }
            Some(at) if at < end => at + 1,
            Some(_) => {
                return Err(bad_url(
                    "its `@` stands behind a `/` or `?`; write an `@` of a parameter as `%40`, and a `/` or `?` of the \
                     password as `%2F` or `%3F`",
                ));
            }
        };
        let (base, query) = match url[after..].find('?') {
            Some(at) => (&url[..after + at], &url[after + at + 1..]),
            None => (url, ""),
        };
        let mut ours = Parameters::default();
        let mut others = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !ours.take(name, value)? {
                others.push(parameter);
            }
        }
        let mut config = Config::from_str(&format!("{base}?{}", others.join("&")))
            .map_err(|error| bad_url(&cause(&error)))?;
        let place = place(&config)?;
        complete(&mut config);
        let mode = match ours.mode {
            Some(mode) => mode,
            None if is_near(&config) => SslMode::Disable,
            None => SslMode::Require,
        };
        config.ssl_mode(mode);
        let tls = match mode {
            SslMode::Disable => Tls::none(),
            _ => Tls::of_system()?,
        };
        Ok(Self {
            tls,
            place,
            user: match config.get_user() {
                Some(user) => format!("`{user}`"),
                None => "of this account".to_owned(),
            },
            schema: ours.schema,
            connections: ours.connections.unwrap_or(DEFAULT_CONNECTIONS),
            operation_timeout: ours.operation_timeout.unwrap_or(DEFAULT_OPERATION_TIMEOUT),
            config,
        })
    }
}

const DEFAULT_CONNECTIONS: usize = 8;
const DEFAULT_OPERATION_TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of bytes of a name in PostgreSQL, which cuts longer ones off.
const LONGEST_NAME: usize = 63;

/// The parameters of a URL that tokio-postgres does not have, or has with another meaning.
#[derive(Default)]
struct Parameters {
    mode: Option<SslMode>,
    schema: Option<String>,
    connections: Option<usize>,
    operation_timeout: Option<Duration>,
}

impl Parameters {
    /// Reads a parameter. Returns `false` if the parameter is not a field of this type.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, StoreError> {
        match name {
            "sslmode" => {
                self.mode = Some(match value {
                    "disable" => SslMode::Disable,
                    "prefer" => SslMode::Prefer,
                    // Libpq verifies nothing with `require`. Here a certificate is always verified.
                    "require" | "verify-full" => SslMode::Require,
                    _ => {
                        return Err(bad_url(
                            "`sslmode` is none of `disable`, `prefer` and `require`",
                        ));
                    }
                });
            }
            "search_path" => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                if value.is_empty() || value.len() > LONGEST_NAME || !value.chars().all(is_name) {
                    return Err(bad_url(&format!(
                        "`search_path` is no name of a schema; a name has ASCII letters, digits, `_` and `-`, and at \
                         most {LONGEST_NAME} of them"
                    )));
                }
                self.schema = Some(value.to_owned());
            }
            "max_connections" => {
                let number = value
                    .parse()
                    .ok()
                    .filter(|number| (1..=1_000).contains(number));
                let problem = "`max_connections` is no number from 1 to 1000";
                self.connections = Some(number.ok_or_else(|| bad_url(problem))?);
            }
            "operation_timeout" => {
                let seconds = value
                    .parse()
                    .ok()
                    .filter(|seconds| (1..=86_400).contains(seconds));
                let problem = "`operation_timeout` is no number of seconds from 1 to 86400";
                let seconds = seconds.ok_or_else(|| bad_url(problem))?;
                self.operation_timeout = Some(Duration::from_secs(seconds));
            }
            "sslrootcert" => {
                return Err(bad_url(
                    "`sslrootcert` is not read; name the file of the certificates in the variable `SSL_CERT_FILE`",
                ));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Sets the timeouts that detect a lost server, and defaults for what the URL leaves out.
fn complete(config: &mut Config) {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(10));
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(20));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(Duration::from_secs(20));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
    }
    if config.get_application_name().is_none() {
        config.application_name("agent-store");
    }
    // If there are several servers, all but one are replicas, which cannot be written.
    let servers = config.get_hosts().len().max(config.get_hostaddrs().len());
    if servers > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
}

/// Whether all hosts are this machine, so that nothing is sent over a network. A `hostaddr` decides, whatever
/// the name of its host, because it is the address of the connection.
fn is_near(config: &Config) -> bool {
    let is_near = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(is_near),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// Returns the hosts and the database of a configuration, for errors.
fn place(config: &Config) -> Result<String, StoreError> {
    let ports = config.get_ports();
    let mut hosts = Vec::new();
    for (at, host) in config.get_hosts().iter().enumerate() {
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(5_432);
        hosts.push(match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]:{port}"),
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}:{port}", path.display()),
        });
    }
    for address in config.get_hostaddrs() {
        if config.get_hosts().is_empty() {
            hosts.push(address.to_string());
        }
    }
    if hosts.is_empty() {
        return Err(bad_url("it names no host"));
    }
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    Ok(format!("postgres://{}/{database}", hosts.join(",")))
}

fn bad_url(problem: &str) -> StoreError {
    StoreError::unavailable(format!(
        "the URL of the PostgreSQL database cannot be used: {problem}; write {FORM}"
    ))
}

/// Returns the cause of an error about a URL. It names a parameter, and never quotes a value.
fn cause(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Address {
        Address::parse(url).expect("a good URL")
    }

    #[test]
    fn a_url_names_the_database_and_how_it_is_used() {
        let address = parse(
            "postgresql://ada:s%40cret%3F@localhost:6432/agents?search_path=one-two&max_connections=3&operation_timeout=7\
             &application_name=shop",
        );
        assert_eq!(address.place, "postgres://localhost:6432/agents");
        assert_eq!(address.user, "`ada`");
        assert_eq!(address.config.get_password(), Some(&b"s@cret?"[..]));
        assert_eq!(address.config.get_application_name(), Some("shop"));
        assert_eq!(address.schema.as_deref(), Some("one-two"));
        assert_eq!(address.connections, 3);
        assert_eq!(address.operation_timeout, Duration::from_secs(7));
        let address = parse("postgres:///agents?host=/run/postgresql");
        assert_eq!(address.place, "postgres:///run/postgresql:5432/agents");
        let address = parse("postgres://ada@[::1]/");
        assert_eq!(address.place, "postgres://[::1]:5432/ada");
    }

    /// A password or a conversation never goes over a network in clear text unless somebody asks for it.
    #[test]
    fn tls_is_required_for_other_machines() {
        for (url, mode) in [
            ("postgres://a@localhost/d", SslMode::Disable),
            ("postgres://a@127.0.0.2/d", SslMode::Disable),
            ("postgres:///d?host=/tmp", SslMode::Disable),
            ("postgres://a@db.example/d", SslMode::Require),
            ("postgres://a@localhost,db.example/d", SslMode::Require),
            (
                "postgres://a@localhost/d?hostaddr=192.0.2.1",
                SslMode::Require,
            ),
            ("postgres:///d?hostaddr=192.0.2.1", SslMode::Require),
            ("postgres:///d?hostaddr=127.0.0.1", SslMode::Disable),
            (
                "postgres://a@db.example/d?sslmode=disable",
                SslMode::Disable,
            ),
            ("postgres://a@db.example/d?sslmode=prefer", SslMode::Prefer),
            (
                "postgres://a@localhost/d?sslmode=verify-full",
                SslMode::Require,
            ),
        ] {
            assert_eq!(parse(url).config.get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn a_bad_url_is_an_error_without_its_password() {
        for (url, words) in [
            ("secret", "is no URL of a PostgreSQL database"),
            ("mysql://a:secret@b/c", "is no URL of a PostgreSQL database"),
            ("postgres:///d", "names no host"),
            (
                "postgres://a:b@secret@h/d",
                "write an `@` of the password or of a parameter as `%40`",
            ),
            ("postgres://a:b@c?secret=1@h/d", "more than one `@`"),
            (
                "postgres:///d?host=/run&password=secret@h",
                "behind a `/` or `?`",
            ),
            ("postgres://a:b?secret@h/d", "behind a `/` or `?`"),
            ("postgres://a:b@c/secret@h/d", "more than one `@`"),
            ("postgres://a:secret/d", "invalid value for option `port`"),
            (
                "postgres://a:secret@h/d?colour=secret",
                "unknown option `colour`",
            ),
            (
                "postgres://a:secret@h/d?sslmode=secret",
                "`sslmode` is none of",
            ),
            (
                "postgres://a:secret@h/d?sslrootcert=secret",
                "`SSL_CERT_FILE`",
            ),
            (
                "postgres://a:secret@h/d?search_path=a%22;secret",
                "is no name of a schema",
            ),
            (
                "postgres://a:secret@h/d?max_connections=0",
                "no number from 1 to 1000",
            ),
            (
                "postgres://a:secret@h/d?operation_timeout=secret",
                "no number of seconds",
            ),
        ] {
            let error = Address::parse(url).err().expect(url);
            let text = format!("{error} {error:?}");
            assert!(text.contains(words), "{text}");
            assert!(!text.contains("secret"), "{text}");
            assert!(error.to_string().contains(FORM), "{error}");
        }
    }
}
