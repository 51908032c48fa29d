//! What scalars mean.

use super::Value;

/// What a scalar without quotes means in YAML 1.2.
pub(crate) fn resolve(text: &str) -> Value {
    // Most values are words, and a word that starts otherwise is nothing else.
    if !text.starts_with(|c: char| c.is_ascii_digit() || "~.-+nNtTfF".contains(c)) && !text.is_empty() {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(text.to_owned()),
        _ => {}
    }
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let octal = text.strip_prefix("0o").is_some_and(|d| !d.is_empty() && d.bytes().all(|b| (b'0'..=b'7').contains(&b)));
    let hex = text.strip_prefix("0x").is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()));
    if is_digits(unsigned) || octal || hex {
        return Value::Int(text.to_owned());
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Value::Float(text.to_owned());
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
        None => is_digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|e| is_digits(e.strip_prefix(['-', '+']).unwrap_or(e)));
    if is_mantissa && is_exponent { Value::Float(text.to_owned()) } else { Value::Text(text.to_owned()) }
}
