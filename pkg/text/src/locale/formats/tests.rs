use jiff::tz::{TimeZone, offset};

use super::*;

fn formats(tag: &str, symbol: &str, decimals: u8) -> Formats {
    let money = Money { symbol: symbol.to_owned(), decimals };
    Formats::new(&Locale::from_tag(tag).unwrap(), money, TimeZone::fixed(offset(-5)))
}

#[test]
fn money_is_written_as_people_of_the_place_write_it() {
    let cases = [
        ("es-CO", "$", 0, 9_000, "$9.000"),
        ("es-CO", "$", 0, 1_234_567, "$1.234.567"),
        ("es-CO", "COP", 0, 9_000, "COP\u{a0}9.000"),
        ("es", "$", 0, 9_000, "$9.000"),
        ("es-XX", "$", 0, 9_000, "$9.000"),
        ("es-MX", "$", 2, 900_050, "$9,000.50"),
        ("es-ES", "€", 2, 900_050, "9000,50\u{a0}€"),
        ("es-ES", "€", 2, 1_000_000, "10.000,00\u{a0}€"),
        ("en", "$", 2, 123_456, "$1,234.56"),
        ("en-GB", "£", 2, 5, "£0.05"),
        ("en", "$", 2, -5, "-$0.05"),
        ("pt-BR", "R$", 2, 123_456, "R$\u{a0}1.234,56"),
        ("fr", "€", 2, 123_456, "1\u{202f}234,56\u{a0}€"),
        ("de", "€", 2, 123_456, "1.234,56\u{a0}€"),
        ("it", "€", 0, 0, "0\u{a0}€"),
        ("ca", "€", 0, 9_000, "9000\u{a0}€"),
        ("en", "", 0, 9_000, "9,000"),
    ];
    for (tag, symbol, decimals, amount, expected) in cases {
        assert_eq!(formats(tag, symbol, decimals).money(amount), expected, "{tag} {symbol}");
    }
    assert_eq!(formats("en", "", 0).money(i128::MIN).len(), 1 + 39 + 12, "no amount is too big");
}

#[test]
fn numbers_keep_every_digit() {
    let cases = [
        ("es-CO", "1234567.890", "1.234.567,890"),
        ("en", "-1234.5", "-1,234.5"),
        ("es-ES", "1234", "1234"),
        ("es-ES", "12345", "12.345"),
        ("de-CH", "12345.6", "12’345.6"),
        ("en", "0", "0"),
    ];
    for (tag, digits, expected) in cases {
        assert_eq!(formats(tag, "$", 0).number(digits).unwrap(), expected, "{tag} {digits}");
    }
    for refused in ["", "-", "1e3", "1.", ".5", "1.2.3", "٣", "1 000", "+1", "NaN"] {
        assert!(formats("en", "$", 0).number(refused).is_err(), "{refused:?} is not plain");
    }
}

#[test]
fn dates_and_times_follow_the_place_and_the_zone() {
    let instant = "2026-01-06T03:05:00Z";
    let cases = [
        ("es", "5 de enero de 2026", "05/01/2026", "22:05"),
        ("es-CO", "5 de enero de 2026", "05/01/2026", "10:05 p. m."),
        ("en", "January 5, 2026", "01/05/2026", "10:05 PM"),
        ("en-GB", "5 January 2026", "05/01/2026", "22:05"),
        ("pt", "5 de janeiro de 2026", "05/01/2026", "22:05"),
        ("fr", "5 janvier 2026", "05/01/2026", "22:05"),
        ("it", "5 gennaio 2026", "05/01/2026", "22:05"),
        ("de", "5. Januar 2026", "05.01.2026", "22:05"),
        ("ca", "5 de gener de 2026", "05/01/2026", "22:05"),
    ];
    for (tag, words, digits, time) in cases {
        let formats = formats(tag, "$", 0);
        assert_eq!(formats.date(instant).unwrap(), words, "{tag}");
        assert_eq!(formats.date_digits(instant).unwrap(), digits, "{tag}");
        assert_eq!(formats.time(instant).unwrap(), time, "{tag}");
    }
    let catalan = formats("ca", "$", 0);
    assert_eq!(catalan.date("2026-04-01").unwrap(), "1 d’abril de 2026", "elided");
    let english = formats("en", "$", 0);
    assert_eq!(english.date("2026-01-05 14:03:00").unwrap(), "January 5, 2026", "as SQL writes it");
    assert_eq!(english.time("2026-01-05T00:03").unwrap(), "12:03 AM", "midnight is twelve");
    assert_eq!(english.time("14:03").unwrap(), "2:03 PM");
    assert!(english.date("mañana").is_err() && english.date("2026-02-30").is_err());
    assert!(english.time("25:00").is_err() && english.time("luego").is_err());
}
