//! The conventions of each locale and the words of each language, as data.
//!
//! # Source
//!
//! Separators and orders follow the Unicode CLDR tables (<https://cldr.unicode.org/>), with two
//! choices of our own: amounts stay on one line in plain text, so a symbol before the number takes a
//! space only where people write one, and Spanish without a region is the Spanish of most of its
//! speakers, not that of Spain.

use crate::Language;

/// How one locale writes.
#[derive(Debug)]
pub(crate) struct LocaleData {
    pub(crate) tag: &'static str,
    pub(crate) decimal: &'static str,
    pub(crate) group: &'static str,
    /// A whole part shorter than this is not grouped.
    pub(crate) group_digits_min: usize,
    pub(crate) symbol: SymbolPlace,
    pub(crate) date: DateOrder,
    pub(crate) time: TimeStyle,
}

/// Where the money symbol stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SymbolPlace {
    /// `$9.000`; a symbol that ends in a letter takes a space.
    Before,
    /// `R$ 9.000`.
    BeforeSpaced,
    /// `9.000 €`.
    AfterSpaced,
}

/// The order of a date in digits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DateOrder {
    /// `05.01.2026`.
    DayDots,
    /// `05/01/2026`.
    DaySlashes,
    /// `01/05/2026`.
    MonthSlashes,
}

/// The clock.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimeStyle {
    /// `14:03`.
    Hours24,
    /// `2:03 PM`.
    Hours12 { am: &'static str, pm: &'static str },
}

const NARROW: &str = "\u{202f}";
const SPANISH_CLOCK: TimeStyle = TimeStyle::Hours12 { am: "a. m.", pm: "p. m." };

const fn comma_decimal(tag: &'static str, symbol: SymbolPlace, time: TimeStyle) -> LocaleData {
    LocaleData {
        tag,
        decimal: ",",
        group: ".",
        group_digits_min: 4,
        symbol,
        date: DateOrder::DaySlashes,
        time,
    }
}

const fn point_decimal(tag: &'static str, date: DateOrder, time: TimeStyle) -> LocaleData {
    LocaleData {
        tag,
        decimal: ".",
        group: ",",
        group_digits_min: 4,
        symbol: SymbolPlace::Before,
        date,
        time,
    }
}

use DateOrder::{DayDots, DaySlashes, MonthSlashes};
use SymbolPlace::{AfterSpaced, Before, BeforeSpaced};
use TimeStyle::Hours24;

/// By tag; a locale that is not here uses the row of its language.
static LOCALES: &[LocaleData] = &[
    LocaleData { group_digits_min: 5, ..comma_decimal("ca", AfterSpaced, Hours24) },
    LocaleData { date: DayDots, ..comma_decimal("de", AfterSpaced, Hours24) },
    LocaleData { symbol: BeforeSpaced, ..comma_decimal("de-AT", AfterSpaced, Hours24) },
    LocaleData { group: "’", symbol: BeforeSpaced, ..point_decimal("de-CH", DayDots, Hours24) },
    point_decimal("en", MonthSlashes, TimeStyle::Hours12 { am: "AM", pm: "PM" }),
    point_decimal("en-AU", DaySlashes, TimeStyle::Hours12 { am: "am", pm: "pm" }),
    point_decimal("en-GB", DaySlashes, Hours24),
    point_decimal("en-IE", DaySlashes, Hours24),
    comma_decimal("es", Before, Hours24),
    point_decimal("es-419", DaySlashes, Hours24),
    comma_decimal("es-AR", Before, Hours24),
    comma_decimal("es-CL", Before, Hours24),
    comma_decimal("es-CO", Before, SPANISH_CLOCK),
    point_decimal("es-DO", DaySlashes, SPANISH_CLOCK),
    LocaleData { group_digits_min: 5, ..comma_decimal("es-ES", AfterSpaced, Hours24) },
    point_decimal("es-GT", DaySlashes, Hours24),
    point_decimal("es-HN", DaySlashes, Hours24),
    point_decimal("es-MX", DaySlashes, Hours24),
    point_decimal("es-NI", DaySlashes, Hours24),
    point_decimal("es-PA", DaySlashes, SPANISH_CLOCK),
    point_decimal("es-PE", DaySlashes, Hours24),
    point_decimal("es-PR", MonthSlashes, SPANISH_CLOCK),
    point_decimal("es-SV", DaySlashes, Hours24),
    point_decimal("es-US", DaySlashes, SPANISH_CLOCK),
    LocaleData { group: NARROW, ..comma_decimal("fr", AfterSpaced, Hours24) },
    comma_decimal("it", AfterSpaced, Hours24),
    comma_decimal("pt", BeforeSpaced, Hours24),
    comma_decimal("pt-BR", BeforeSpaced, Hours24),
    LocaleData {
        group: "\u{a0}",
        group_digits_min: 5,
        ..comma_decimal("pt-PT", AfterSpaced, Hours24)
    },
];

/// Finds the conventions of `tag`, else those of its language.
pub(crate) fn locale_data(tag: &str, language: Language) -> &'static LocaleData {
    let by = |wanted: &str| LOCALES.iter().find(|data| data.tag == wanted);
    by(tag).or_else(|| by(language.tag())).unwrap_or(&ENGLISH)
}

static ENGLISH: LocaleData =
    point_decimal("en", MonthSlashes, TimeStyle::Hours12 { am: "AM", pm: "PM" });

/// The words of dates in one language.
#[derive(Debug)]
pub(crate) struct WordData {
    pub(crate) months: [&'static str; 12],
    /// Monday first.
    pub(crate) weekdays: [&'static str; 7],
    /// A date in words, over `{d}`, `{month}` and `{y}`.
    pub(crate) date: &'static str,
    /// Catalan elides `de` before a vowel.
    pub(crate) elides: bool,
}

/// Returns the words of `language`.
pub(crate) fn words(language: Language) -> &'static WordData {
    match language {
        Language::Ca => &CA,
        Language::De => &DE,
        Language::En => &EN,
        Language::Es => &ES,
        Language::Fr => &FR,
        Language::It => &IT,
        Language::Pt => &PT,
    }
}

static CA: WordData = WordData {
    months: [
        "gener", "febrer", "març", "abril", "maig", "juny", "juliol", "agost", "setembre",
        "octubre", "novembre", "desembre",
    ],
    weekdays: ["dilluns", "dimarts", "dimecres", "dijous", "divendres", "dissabte", "diumenge"],
    date: "{d} de {month} de {y}",
    elides: true,
};

static DE: WordData = WordData {
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    weekdays: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    date: "{d}. {month} {y}",
    elides: false,
};

static EN: WordData = WordData {
    months: [
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
    ],
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    date: "{d} {month} {y}",
    elides: false,
};

static ES: WordData = WordData {
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    weekdays: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    date: "{d} de {month} de {y}",
    elides: false,
};

static FR: WordData = WordData {
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    weekdays: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    date: "{d} {month} {y}",
    elides: false,
};

static IT: WordData = WordData {
    months: [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    weekdays: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
    date: "{d} {month} {y}",
    elides: false,
};

static PT: WordData = WordData {
    months: [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    weekdays: [
        "segunda-feira",
        "terça-feira",
        "quarta-feira",
        "quinta-feira",
        "sexta-feira",
        "sábado",
        "domingo",
    ],
    date: "{d} de {month} de {y}",
    elides: false,
};
