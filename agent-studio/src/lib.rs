//! The page of `agent dev`: talk to agents, decide on their calls, and look at their tools, runs and findings in a browser.
//!
//! The page is a client of `gramwork-web`'s routes. The routes that only developers need are here: the documents with their
//! findings, the runs of the journal with their steps, and calls of single tools. All of them need the token of the
//! [`Studio`], which stands in the fragment of the address that a person opens, so that no server and no other page
//! learns it.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /` | the page, which loads nothing from elsewhere |
//! | `/api/…` | the routes of `gramwork-web`, for the agents of the last documents without errors |
//! | `GET /studio/state` | the agents, the tools, and the documents with their findings |
//! | `GET /studio/changes?after=VERSION` | the version of the state once it is another one; 204 after 25 seconds |
//! | `POST /studio/tools/{name}/call` | the result of a tool that is called alone |
//! | `GET /studio/runs` | the runs of the journal, the last started first |
//! | `GET /studio/runs/{id}?unless=UPDATED` | the steps of a run, with long texts cut; 204 if the run has ended or waits, and was not changed |
//! | `GET /studio/runs/{id}/steps/{number}` | a step as a whole |
//! | `GET /studio/runs/{id}/exchanges` | the requests to the servers of models, without their texts |
//! | `GET /studio/runs/{id}/exchanges/{number}` | a request and its answer as they were on the wire |
//! | `GET /studio/runs/{id}/cassette` | the run as a cassette for tests |
//! | `GET /studio/runs/{id}/replay` | the first request that the agent as it is now would make in another way |
//! | `POST /studio/runs/{id}/replay` | both runs, after the models were asked anew |
//! | `POST /studio/runs/{id}/resume` | 202; a run whose process is gone goes on |
//! | `GET /studio/models` | the models of the catalogue, and a schema of settings |
//! | `POST /studio/agents/{name}/check` | the findings about an agent with another model and other settings |
//! | `PUT /studio/agents/{name}` | the same, and new runs use them |
//! | `DELETE /studio/agents/{name}` | 204; new runs use what the document says |
//! | `GET /studio/conversations/{name}/branches` | the branches of a conversation, itself included |
//! | `POST /studio/conversations/{name}/branches` | 201 with the name of a new conversation with its first messages |
//! | `GET /studio/conversations/{name}/media/{sha256}` | the bytes of an image, a document or audio of a message |

mod access;
mod agents;
mod branches;
mod conversations;
mod documents;
mod models;
mod page;
mod problem;
pub mod replay;
mod runs;
mod state;
pub mod steps;
mod studio;
mod tools;
mod trial;
mod wire;

pub use access::add_headers;
pub use documents::{DocumentAgent, Documents};
pub use studio::Studio;
pub use wire::WireLog;
