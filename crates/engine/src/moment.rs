//! Dates and times written in the patterns of moment.js, in which Obsidian's settings give them.

use jiff::civil::DateTime;
use std::fmt::Write;

/// The local time at which something was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub at: DateTime,
    /// Minutes east of Greenwich.
    pub offset: i32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The patterns, the longest of those that begin alike first.
const TOKENS: [&str; 64] = [
    "LLLL", "LLL", "LTS", "LT", "LL", "L", "llll", "lll", "ll", "l", "YYYYYY", "YYYY", "YY", "Y", "yyyy", "yy", "y",
    "Qo", "Q", "MMMM", "MMM", "MM", "Mo", "M", "DDDD", "DDDo", "DDD", "DD", "Do", "D", "dddd", "ddd", "dd", "do", "d",
    "E", "e", "gggg", "gg", "GGGG", "GG", "wo", "ww", "w", "Wo", "WW", "W", "HH", "H", "hh", "h", "kk", "k", "mm", "m",
    "SSS", "SS", "S", "ss", "s", "A", "a", "X", "x",
];

impl Moment {
    /// Reads a local time as the window tells it: `2026-11-30T21:48:08+01:00`.
    pub fn read(text: &str) -> Option<Moment> {
        let (at, offset) = text.split_at_checked(19)?;
        let offset = match offset {
            "" | "Z" => 0,
            offset => {
                let (sign, rest) = offset.split_at_checked(1)?;
                let (hours, minutes) = rest.split_once(':')?;
                let minutes = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
                if sign == "-" { -minutes } else { minutes }
            }
        };
        Some(Moment { at: at.parse().ok()?, offset })
    }

    /// Returns the same moment some minutes later.
    pub fn later(self, minutes: i64) -> Moment {
        let at = self.at.checked_add(jiff::Span::new().minutes(minutes)).unwrap_or(self.at);
        Moment { at, ..self }
    }

    /// Writes the time in a pattern. What stands in brackets, or is no pattern, stays as it is.
    pub fn format(self, pattern: &str) -> String {
        let mut written = String::with_capacity(pattern.len());
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            // As far as it goes before another bracket opens.
            let next = rest.get(1..).unwrap_or_default().find('[').map_or(rest.len(), |at| at + 1);
            if c == '['
                && let Some(end) = rest[..next].rfind(']')
            {
                written.push_str(&rest[1..end]);
                rest = &rest[end + 1..];
                continue;
            }
            // `ZZ` is the offset without its colon.
            let zone = ["ZZ", "Z"].into_iter().find(|zone| rest.starts_with(zone));
            if let Some(token) = TOKENS.into_iter().find(|token| rest.starts_with(token)).or(zone) {
                self.write(token, &mut written);
                rest = &rest[token.len()..];
            } else {
                written.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        written
    }

    fn write(self, token: &str, to: &mut String) {
        let at = self.at;
        let date = at.date();
        let (year, month, day) = (i64::from(at.year()), i64::from(at.month()), i64::from(at.day()));
        let weekday = i64::from(date.weekday().to_sunday_zero_offset());
        let of_year = i64::from(date.day_of_year());
        let (hour, minute, second) = (i64::from(at.hour()), i64::from(at.minute()), i64::from(at.second()));
        let half = if hour % 12 == 0 { 12 } else { hour % 12 };
        let millisecond = i64::from(at.subsec_nanosecond()) / 1_000_000;
        let month_name = MONTHS[usize::try_from(month - 1).unwrap_or(0) % 12];
        let day_name = DAYS[usize::try_from(weekday).unwrap_or(0) % 7];
        let iso = date.iso_week_date();
        let (iso_year, iso_week) = (i64::from(iso.year()), i64::from(iso.week()));
        let (week_year, week) = self.week();
        let mut number = |n: i64, width: usize| {
            // Writing into a string cannot fail.
            let _ = write!(to, "{n:0width$}");
        };
        match token {
            "YYYYYY" => number(year, 6),
            "YYYY" => number(year, 4),
            "YY" => number(year % 100, 2),
            "Y" | "yyyy" | "yy" | "y" => number(year, 0),
            "Q" => number((month + 2) / 3, 0),
            "MM" => number(month, 2),
            "M" => number(month, 0),
            "DDDD" => number(of_year, 3),
            "DDD" => number(of_year, 0),
            "DD" => number(day, 2),
            "D" => number(day, 0),
            "d" | "e" => number(weekday, 0),
            "E" => number(if weekday == 0 { 7 } else { weekday }, 0),
            "GGGG" => number(iso_year, 4),
            "GG" => number(iso_year % 100, 2),
            "WW" => number(iso_week, 2),
            "W" => number(iso_week, 0),
            "gggg" => number(week_year, 4),
            "gg" => number(week_year % 100, 2),
            "ww" => number(week, 2),
            "w" => number(week, 0),
            "HH" => number(hour, 2),
            "H" => number(hour, 0),
            "hh" => number(half, 2),
            "h" => number(half, 0),
            "kk" => number(if hour == 0 { 24 } else { hour }, 2),
            "k" => number(if hour == 0 { 24 } else { hour }, 0),
            "mm" => number(minute, 2),
            "m" => number(minute, 0),
            "ss" => number(second, 2),
            "s" => number(second, 0),
            "SSS" => number(millisecond, 3),
            "SS" => number(millisecond / 10, 2),
            "S" => number(millisecond / 100, 0),
            "X" => number(self.unix_ms().div_euclid(1000), 0),
            "x" => number(self.unix_ms(), 0),
            "Qo" => to.push_str(&ordinal((month + 2) / 3)),
            "Mo" => to.push_str(&ordinal(month)),
            "Do" => to.push_str(&ordinal(day)),
            "DDDo" => to.push_str(&ordinal(of_year)),
            "do" => to.push_str(&ordinal(weekday)),
            "wo" => to.push_str(&ordinal(week)),
            "Wo" => to.push_str(&ordinal(iso_week)),
            "MMMM" => to.push_str(month_name),
            "MMM" => to.push_str(&month_name[..3]),
            "dddd" => to.push_str(day_name),
            "ddd" => to.push_str(&day_name[..3]),
            "dd" => to.push_str(&day_name[..2]),
            "A" => to.push_str(if hour < 12 { "AM" } else { "PM" }),
            "a" => to.push_str(if hour < 12 { "am" } else { "pm" }),
            "Z" | "ZZ" => {
                let sign = if self.offset < 0 { '-' } else { '+' };
                let colon = if token == "Z" { ":" } else { "" };
                let minutes = self.offset.abs();
                let _ = write!(to, "{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60);
            }
            long => to.push_str(&self.format(written_out(long))),
        }
    }

    /// The week and its year as in the United States: weeks begin on Sunday, and the first holds the first of January.
    fn week(self) -> (i64, i64) {
        let date = self.at.date();
        let weekday_of_first = |year: i16| {
            let first = jiff::civil::Date::new(year, 1, 1).unwrap_or(date);
            i64::from(first.weekday().to_sunday_zero_offset())
        };
        let next = self.at.year().saturating_add(1);
        let days_left = i64::from(date.days_in_year()) - i64::from(date.day_of_year());
        if days_left < weekday_of_first(next) {
            return (i64::from(next), 1);
        }
        let day = i64::from(date.day_of_year()) - 1 + weekday_of_first(self.at.year());
        (i64::from(self.at.year()), day / 7 + 1)
    }

    fn unix_ms(self) -> i64 {
        let offset = jiff::tz::Offset::from_seconds(self.offset * 60).unwrap_or(jiff::tz::Offset::UTC);
        offset.to_timestamp(self.at).map_or(0, |timestamp| timestamp.as_millisecond())
    }
}

/// The patterns that stand for others.
fn written_out(token: &str) -> &'static str {
    match token {
        "LT" => "h:mm A",
        "LTS" => "h:mm:ss A",
        "L" => "MM/DD/YYYY",
        "l" => "M/D/YYYY",
        "LL" => "MMMM D, YYYY",
        "ll" => "MMM D, YYYY",
        "LLL" => "MMMM D, YYYY h:mm A",
        "lll" => "MMM D, YYYY h:mm A",
        "LLLL" => "dddd, MMMM D, YYYY h:mm A",
        "llll" => "ddd, MMM D, YYYY h:mm A",
        _ => "",
    }
}

fn ordinal(n: i64) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str, pattern: &str) -> String {
        Moment::read(time).unwrap().format(pattern)
    }

    #[test]
    fn patterns_are_written_as_moment_js_writes_them() {
        for (pattern, expected) in [
            ("YYYY-MM-DD", "2026-03-07"),
            ("YYYYMMDDHHmm", "202603071409"),
            ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2026/03-March/2026-03-07-Saturday"),
            ("gggg-[W]ww / GGGG-[W]WW-E", "2026-W10 / 2026-W10-6"),
            ("ddd dd d do, MMM Mo Do DDD DDDD Qo", "Sat Sa 6 6th, Mar 3rd 7th 66 066 1st"),
            ("H HH h hh k a A m mm s ss SSS", "14 14 2 02 14 pm PM 9 09 5 05 000"),
            ("[Today is] D.M.YY", "Today is 7.3.26"),
            ("LT | LTS | L | l | LL", "2:09 PM | 2:09:05 PM | 03/07/2026 | 3/7/2026 | March 7, 2026"),
            ("LLLL", "Saturday, March 7, 2026 2:09 PM"),
            ("Z ZZ X", "+05:30 +0530 1772872745"),
            ("[open", "[op6n"),
            ("[a] YYYY] yyyy", "a] YYYY 2026"),
            ("Tag für Tag", "T14g für T14g"),
        ] {
            let expected = expected.replace("T14g", "Tpmg");
            assert_eq!(at("2026-03-07T14:09:05+05:30", pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn weeks_at_the_turn_of_a_year() {
        for (day, expected) in [
            ("2024-12-28", "2024-52 2024-52"),
            ("2024-12-29", "2025-01 2024-52"),
            ("2024-12-31", "2025-01 2025-01"),
            ("2026-01-01", "2026-01 2026-01"),
            ("2026-12-31", "2027-01 2026-53"),
            ("2027-01-02", "2027-01 2026-53"),
            ("2027-01-03", "2027-02 2026-53"),
            ("2022-12-31", "2022-53 2022-52"),
        ] {
            assert_eq!(at(&format!("{day}T00:00:00"), "gggg-ww GGGG-WW"), expected, "{day}");
        }
    }

    #[test]
    fn midnight_and_noon() {
        assert_eq!(at("2026-03-07T00:05:00", "h:mm a k"), "12:05 am 24");
        assert_eq!(at("2026-03-07T12:05:00-03:00", "h:mm a Z"), "12:05 pm -03:00");
        assert_eq!(Moment::read("today"), None);
        assert_eq!(Moment::read("2026-03-07T00:05:00").unwrap().later(1436).format("DD HH:mm"), "08 00:01");
    }
}
