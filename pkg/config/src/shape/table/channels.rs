//! The keys of channels.

use super::{TEXTS, TIMEOUT};
use crate::shape::{Field, Shape, Struct};

const CONFIRM_TIMEOUT: Field =
    Field::new("confirm_timeout", TIMEOUT, "How long a question waits on this channel.");

/// Channels by kind.
pub(super) static CHANNELS: Struct = Struct {
    name: "channels",
    doc: "Where the agent listens.",
    fields: &[
        Field::new("web", Shape::Struct(&WEB), "The web chat."),
        Field::new("telegram", Shape::Struct(&TELEGRAM), "A Telegram bot."),
        Field::new("whatsapp", Shape::Struct(&WHATSAPP), "WhatsApp Cloud API."),
        Field::new("discord", Shape::Struct(&TOKEN), "A Discord bot."),
        Field::new("slack", Shape::Struct(&SLACK), "A Slack app."),
        Field::new("matrix", Shape::Struct(&MATRIX), "A Matrix account."),
        Field::new("sms", Shape::Struct(&SMS), "Text messages."),
        Field::new("email", Shape::Map(&Shape::Any), "Mail."),
        Field::new("voice", Shape::Map(&Shape::Any), "Telephone calls."),
    ],
};

static WEB: Struct = Struct {
    name: "channel_web",
    doc: "The web chat.",
    fields: &[
        Field::new("allowed_origins", TEXTS, "Sites that may embed it.").default("[]"),
        CONFIRM_TIMEOUT,
    ],
};

static TELEGRAM: Struct = Struct {
    name: "channel_telegram",
    doc: "A Telegram bot.",
    fields: &[
        Field::new("token", Shape::Secret, "The bot's token.").required(),
        Field::new("secret", Shape::Secret, "What its webhook requests carry."),
        CONFIRM_TIMEOUT,
    ],
};

static WHATSAPP: Struct = Struct {
    name: "channel_whatsapp",
    doc: "WhatsApp Cloud API.",
    fields: &[
        Field::new("token", Shape::Secret, "The access token.").required(),
        Field::new("phone_number_id", Shape::Text, "The number's id.").required(),
        Field::new("app_secret", Shape::Secret, "What its webhook requests are signed with."),
        Field::new("verify_token", Shape::Secret, "What the subscription asks for."),
        CONFIRM_TIMEOUT,
    ],
};

static TOKEN: Struct = Struct {
    name: "channel_token",
    doc: "A bot known by its token.",
    fields: &[Field::new("token", Shape::Secret, "The bot's token.").required(), CONFIRM_TIMEOUT],
};

static SLACK: Struct = Struct {
    name: "channel_slack",
    doc: "A Slack app.",
    fields: &[
        Field::new("token", Shape::Secret, "The bot's token.").required(),
        Field::new("signing_secret", Shape::Secret, "What its requests are signed with."),
        CONFIRM_TIMEOUT,
    ],
};

static MATRIX: Struct = Struct {
    name: "channel_matrix",
    doc: "A Matrix account.",
    fields: &[
        Field::new("homeserver", Shape::Text, "Its server.").required(),
        Field::new("user", Shape::Text, "Its user id.").required(),
        Field::new("password", Shape::Secret, "Its password."),
        Field::new("token", Shape::Secret, "Its access token."),
        Field::new("rooms", TEXTS, "The rooms it listens in; all when left out."),
        CONFIRM_TIMEOUT,
    ],
};

static SMS: Struct = Struct {
    name: "channel_sms",
    doc: "Text messages.",
    fields: &[
        Field::new("account", Shape::Text, "The account.").required(),
        Field::new("token", Shape::Secret, "Its token.").required(),
        Field::new("from", Shape::Text, "Our number.").required(),
        CONFIRM_TIMEOUT,
    ],
};
