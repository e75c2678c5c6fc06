//! A program that stores conversations by agent-store and its own rows by sqlx.

use agent_runtime::testing::check_store;
use agent_store::SqliteStore;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_and_pool_share_one_program() {
    let folder = std::env::temp_dir().join(format!("agent-store-sqlx-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder");
    let options = SqliteConnectOptions::new().filename(folder.join("rows.db"));
    let pool = SqlitePool::connect_with(options.create_if_missing(true)).await;
    let pool = pool.expect("a database");
    sqlx::query("CREATE TABLE visit (visitor TEXT)")
        .execute(&pool)
        .await
        .expect("a table");
    let insert = sqlx::query("INSERT INTO visit VALUES (?)").bind("Ada");
    insert.execute(&pool).await.expect("a row");

    let conversations = folder.join("conversations.db");
    check_store(async || SqliteStore::open(&conversations).await.expect("a store")).await;

    // The pool reads the store's file as well.
    let options = SqliteConnectOptions::new().filename(&conversations);
    let stored = SqlitePool::connect_with(options)
        .await
        .expect("the store's file");
    let count = sqlx::query_scalar("SELECT count(*) FROM conversation");
    let count: i64 = count.fetch_one(&stored).await.expect("a count");
    assert_eq!(count, 3, "Bob, ada and shared");
    let visitor = sqlx::query_scalar("SELECT visitor FROM visit").fetch_one(&pool);
    assert_eq!(visitor.await.ok(), Some("Ada".to_owned()));
    stored.close().await;
    pool.close().await;
    std::fs::remove_dir_all(folder).expect("it can be removed");
}
