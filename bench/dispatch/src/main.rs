//! `add(a, b)`, called by name with JSON text: how much time on a CPU a call takes by a map of boxed
//! functions, by our library, by rig's set of tools and by rmcp's router; and what a time limit, a
//! caught panic and a thread of the blocking pool add to it.
//!
//! Each contender is a process of its own in each round, so that none of them warms up for another.

mod clock;
mod contender;
mod drive;
mod options;
mod table;

use options::Command;

fn main() -> Result<(), contender::Failure> {
    match options::parse(std::env::args().skip(1))? {
        Command::Drive { contender, calls } => drive::drive(contender, calls),
        Command::Measure(options) => {
            if !drive::pins() {
                println!("(there is no `taskset`, or one core: the numbers are noisy)\n");
            }
            table::print(&options)
        }
    }
}
