//! The hello world agent.
