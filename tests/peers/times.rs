//! The table.

use crate::servers::{Kind, Server};

/// What one server took for one operation.
pub struct Row {
    what: &'static str,
    kind: Kind,
    transport: &'static str,
    tool: &'static str,
    values: Vec<f64>,
    sizes: Vec<f64>,
    /// Why there are no times.
    pub why: Option<String>,
}

impl Row {
    pub fn new(what: &'static str, server: &Server, tool: &'static str, values: Vec<f64>) -> Row {
        Row { what, kind: server.kind, transport: server.transport, tool, values, sizes: Vec::new(), why: None }
    }

    /// A server that has no such thing.
    pub fn absent(what: &'static str, kind: Kind, transport: &'static str, why: &str) -> Row {
        Row { what, kind, transport, tool: "", values: Vec::new(), sizes: Vec::new(), why: Some(why.to_owned()) }
    }

    pub fn add(&mut self, took: f64, bytes: Option<usize>) {
        self.values.push(took);
        self.sizes.extend(bytes.map(|bytes| bytes as f64));
    }
}

/// Prints the rows, those of one operation together, ours first.
pub fn print(rows: &[Row]) {
    let head = format!("{:>9}{:>9}{:>5}{:>8}{:>10}", "median", "95 %", "n", "ratio", "answer B");
    println!("\n{:<34}{:<12}{:<7}{:<15}{head}", "operation", "server", "over", "tool");
    let mut printed = Vec::new();
    for Row { what, .. } in rows {
        if printed.contains(what) {
            continue;
        }
        printed.push(*what);
        for row in rows.iter().filter(|row| row.what == *what) {
            let begins = format!("{what:<34}{:<12}{:<7}{:<15}", row.kind.name(), row.transport, row.tool);
            if let Some(why) = &row.why {
                println!("{begins}  {why}");
                continue;
            }
            let ours =
                |other: &&Row| other.what == *what && other.kind == Kind::Vidimus && other.transport == row.transport;
            let ratio = rows.iter().find(ours).map_or(f64::NAN, |ours| at(&row.values, 0.5) / at(&ours.values, 0.5));
            let size = if row.sizes.is_empty() { String::new() } else { format!("{:.0}", at(&row.sizes, 0.5)) };
            let (median, most) = (at(&row.values, 0.5), at(&row.values, 0.95));
            println!("{begins}{median:>9.2}{most:>9.2}{:>5}{ratio:>8.2}{size:>10}", row.values.len());
        }
    }
}

/// The value below which so large a share of the values lies.
fn at(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}
