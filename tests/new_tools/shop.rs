use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::{GramType, ToolError, tool};
use std::collections::BTreeMap;

/// Finds products by words of their name, and by what they cost. The best match comes first; at
/// most as many are given as `limit` says.
#[tool]
pub fn find_products(
    /// Words that the name holds
    #[tool(min_length = 2, max_length = 80)]
    query: String,
    /// In euros
    #[tool(minimum = 0)]
    maximum_price: Option<f64>,
    #[tool(default = "best-match")] order: Order,
    #[tool(default = 10, minimum = 1, maximum = 100)] limit: i64,
    #[tool(default = ["new", "sale"], max_items = 5)] tags: Vec<String>,
) -> Result<Vec<FindProductsResultItem>, ToolError> {
    let _ = (query, maximum_price, order, limit, tags);
    not_written("findProducts")
}

/// A part of the arguments of `findProducts`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "kebab-case")]
pub enum Order {
    BestMatch,
    CheapestFirst,
    Newest,
}

/// The result of `findProducts`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
pub struct FindProductsResultItem {
    pub id: String,
    /// As it stands in the shop
    pub display_name: String,
    #[gram(minimum = 0)]
    pub price: f64,
    pub in_stock: Option<bool>,
}

/// Places an order
///
/// # Returns
///
/// What was ordered
#[tool(name = "place-order")]
#[allow(clippy::too_many_arguments)]
pub fn place_order(
    customer: Customer,
    #[tool(min_items = 1)] lines: Vec<Line>,
    self_: Option<String>,
    #[tool(default = false)] gift_wrap: bool,
    #[tool(
        name = "discountInPercentOfTheWholePriceOfTheOrder",
        default = 0,
        minimum = -100.0,
        maximum = 0.5
    )]
    discount_in_percent_of_the_whole_p: f64,
    #[tool(format = "date")] due: String,
    extra: Map<String, Value>,
    notes: Option<BTreeMap<String, Option<String>>>,
    anything: Option<Value>,
    sizes: Vec<Size>,
) -> Result<PlaceOrderResult, ToolError> {
    let _ = (
        customer,
        lines,
        self_,
        gift_wrap,
        discount_in_percent_of_the_whole_p,
        due,
        extra,
        notes,
        anything,
        sizes,
    );
    not_written("place-order")
}

/// A part of the arguments of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
pub struct Customer {
    #[gram(description = "# not a heading")]
    pub name: String,
    #[gram(default = "private")]
    pub r#type: Type,
    pub home_address: HomeAddress,
    pub work_address: Option<HomeAddress>,
}

/// A part of the arguments of `place-order`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Type {
    Private,
    Business,
}

/// A part of the arguments of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "kebab-case")]
pub struct HomeAddress {
    pub street: String,
    #[gram(pattern = "^[0-9]{5}$")]
    pub zip_code: String,
    #[gram(default = "DE")]
    pub country: String,
}

/// A part of the arguments of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
pub struct Line {
    pub product_id: String,
    #[gram(default = 1, minimum = 1)]
    pub count: i64,
}

/// A part of the arguments of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[gram(minimum = 1, maximum = 60)]
pub struct Size(pub i64);

/// The result of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
pub struct PlaceOrderResult {
    #[gram(format = "uuid")]
    pub order_id: String,
    #[gram(minimum = 0)]
    pub total: f64,
    pub status: Status,
    pub weights: Vec<Weight>,
}

/// A part of the result of `place-order`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Status {
    Open,
    Paid,
}

/// A part of the result of `place-order`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[gram(minimum = 0)]
pub struct Weight(pub f64);

/// How many there are.
///
/// Counts what is
/// reserved, too.
#[tool]
pub fn stock_level(
    #[tool(name = "product.id")] product_id: String,
    #[tool(enum = ["1", "2"])] warehouse: String,
    cut: Cut,
    #[tool(enum = [1, 2, 3])] grade: i64,
    #[tool(minimum = 0.5)] share: i64,
) -> Result<StockLevelResult, ToolError> {
    let _ = (product_id, warehouse, cut, grade, share);
    not_written("stockLevel")
}

/// A part of the arguments of `stockLevel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
pub struct Cut {
    #[serde(rename = "größe")]
    pub größe: Option<String>,
    #[serde(rename = "2nd choice")]
    pub _2nd_choice: bool,
    #[serde(rename = "名前")]
    pub 名前: String,
}

/// The result of `stockLevel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[gram(minimum = 0)]
pub struct StockLevelResult(pub i64);

#[tool(description = "# Cancels\nan order")]
pub fn cancel_order(order_id: String) -> Result<(), ToolError> {
    let _ = order_id;
    not_written("cancelOrder")
}

/// Ends in a \
#[tool]
pub fn r#match() -> Result<MatchResult, ToolError> {
    not_written("match")
}

/// The result of `match`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum MatchResult {
    Yes,
    No,
}

/// Counts very far
#[tool(name = "std")]
pub fn std_2(
    #[tool(minimum = -9223372036854775809)] from: i128,
    #[tool(default = 9223372036854775808)] to: i128,
) -> Result<BTreeMap<String, StdResultItem>, ToolError> {
    let _ = (from, to);
    not_written("std")
}

/// The result of `std`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
pub struct StdResultItem {}

/// Any mode
#[tool(name = "MODE")]
pub fn mode(
    #[tool(name = "user_name", description = "First line\nSecond line")] user_name: String,
    #[tool(name = "userName", default = "\ta")] user_name_2: String,
    pairs: Vec<Pair>,
    flags: Option<BTreeMap<String, Flag>>,
) -> Result<Value, ToolError> {
    let _ = (user_name, user_name_2, pairs, flags);
    not_written("MODE")
}

/// A part of the arguments of `MODE`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[gram(enum = [[1, 2], [3, 4]])]
pub struct Pair(pub Vec<i64>);

/// A part of the arguments of `MODE`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Flag {
    On,
    Off,
}

/// Looks up a value
#[tool]
pub fn look_up(key: Value, deep: Vec<Vec<LookUpDeepItem>>) -> Result<Option<String>, ToolError> {
    let _ = (key, deep);
    not_written("lookUp")
}

/// A part of the arguments of `lookUp`.
pub type DeepItem = Vec<BTreeMap<String, Vec<Option<String>>>>;

/// A part of the arguments of `lookUp`.
pub type LookUpDeepItem = Vec<BTreeMap<String, Vec<Option<DeepItem>>>>;

/// Draws a label
#[tool]
pub fn draw_label(
    shape: Shape,
    size: Option<DrawLabelSize>,
    texts: Texts,
) -> Result<DrawLabelResult, ToolError> {
    let _ = (shape, size, texts);
    not_written("drawLabel")
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[serde(untagged)]
pub enum Shape {
    Text(Text),
    Circle(Circle),
    Box(ShapeBox),
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Text {
    None,
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
pub struct Circle {
    pub kind: Kind,
    #[gram(minimum = 0)]
    pub radius: f64,
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Kind {
    Circle,
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
pub struct ShapeBox {
    pub kind: BoxKind,
    pub sides: (f64, f64),
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum BoxKind {
    Box,
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[serde(untagged)]
pub enum DrawLabelSize {
    Int(i64),
    Text(String),
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
pub struct Texts {
    pub title: String,
    #[serde(flatten)]
    pub further: BTreeMap<String, Further>,
}

/// A part of the arguments of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[gram(max_length = 80)]
pub struct Further(pub String);

/// The result of `drawLabel`.
#[derive(Clone, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde")]
#[serde(untagged)]
pub enum DrawLabelResult {
    Int(i64),
    List(Vec<i64>),
}

/// Returns the error of a tool that is not written yet.
fn not_written<T>(tool: &str) -> Result<T, ToolError> {
    Err(ToolError::Execution(format!("`{tool}` is not written yet")))
}
