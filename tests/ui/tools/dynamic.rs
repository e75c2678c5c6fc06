use agent_runtime::tools;

fn main() {
    let _ = tools![dynamic getWeather];
}
