//! The bakery with handlers in Rust: `cargo run -p bakery-rust`, then type `menú`.
//!
//! `agent.yaml` says what the tools are called, what they take and what is asked; this file says
//! what they do. Arguments are checked before a handler sees them, and the chat comes from the
//! context, where no argument reaches.

use std::io::{self, BufRead as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manos::{Agent, NativeContext, NativeError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const MENU: [(&str, &str, u64); 3] = [
    ("cafe", "Café", 3_500),
    ("pan_de_bono", "Pan de bono", 2_500),
    ("torta_de_chocolate", "Torta de chocolate", 48_000),
];

/// What a customer wants of one product, as the schema in `agent.yaml` has it.
#[derive(Deserialize)]
struct Item {
    producto: String,
    cantidad: u64,
}

#[derive(Clone, Serialize)]
struct Line {
    producto: String,
    nombre: &'static str,
    cantidad: u64,
    precio: u64,
    subtotal: u64,
}

#[derive(Clone, Serialize)]
struct Quote {
    items: Vec<Line>,
    total: u64,
}

#[derive(Clone, Serialize)]
struct Order {
    id: String,
    #[serde(skip)]
    chat: String,
    items: Vec<Line>,
    total: u64,
    estado: &'static str,
}

/// Prices come from the menu, whatever the arguments say.
fn quote(arguments: &Map<String, Value>) -> Result<Quote, NativeError> {
    let items: Vec<Item> = serde_json::from_value(arguments["items"].clone())
        .map_err(|error| NativeError::not_done(format!("la lista no se puede leer: {error}")))?;
    let lines: Option<Vec<Line>> = items.into_iter().map(line).collect();
    let items = lines.ok_or_else(|| NativeError::not_done("ese producto no está en el menú"))?;
    let total = items.iter().map(|line| line.subtotal).sum();
    Ok(Quote { items, total })
}

fn line(item: Item) -> Option<Line> {
    let (_, nombre, precio) = *MENU.iter().find(|(clave, ..)| *clave == item.producto)?;
    let Item { producto, cantidad } = item;
    Some(Line { producto, nombre, cantidad, precio, subtotal: precio.checked_mul(cantidad)? })
}

#[derive(Default)]
struct Shop {
    orders: Mutex<Vec<Order>>,
}

impl Shop {
    fn orders(&self) -> MutexGuard<'_, Vec<Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self, chat: &str) -> Value {
        self.orders().iter().filter(|order| order.chat == chat).map(|order| json!(order)).collect()
    }

    fn create(&self, chat: &str, Quote { items, total }: Quote) -> Value {
        let mut orders = self.orders();
        let id = format!("P-{}", 1_001 + orders.len());
        let order = Order { id, chat: chat.to_owned(), items, total, estado: "confirmado" };
        orders.push(order.clone());
        json!(order)
    }

    /// Changes an order of this chat; those of others do not exist for it.
    fn change(&self, chat: &str, id: &str, change: impl FnOnce(&mut Order)) -> Value {
        let mut orders = self.orders();
        match orders.iter_mut().find(|order| order.chat == chat && order.id == id) {
            None => json!({"error": format!("No encuentro el pedido {id}.")}),
            Some(order) if order.estado == "cancelado" => {
                json!({"error": format!("El pedido {id} ya está cancelado.")})
            }
            Some(order) => {
                change(order);
                json!(order)
            }
        }
    }
}

type Handler = fn(&Shop, &str, &Map<String, Value>) -> Result<Value, NativeError>;

const HANDLERS: [(&str, Handler); 6] = [
    ("ver_menu", |_, _, _| {
        let row =
            |(clave, nombre, precio)| json!({"clave": clave, "nombre": nombre, "precio": precio});
        Ok(MENU.into_iter().map(row).collect())
    }),
    ("cotizar_pedido", |_, _, arguments| Ok(json!(quote(arguments)?))),
    ("mis_pedidos", |shop, chat, _| Ok(shop.list(chat))),
    ("crear_pedido", |shop, chat, arguments| Ok(shop.create(chat, quote(arguments)?))),
    ("actualizar_pedido", |shop, chat, arguments| {
        let Quote { items, total } = quote(arguments)?;
        Ok(shop.change(chat, id(arguments), |order| {
            order.items = items;
            order.total = total;
        }))
    }),
    ("cancelar_pedido", |shop, chat, arguments| {
        Ok(shop.change(chat, id(arguments), |order| order.estado = "cancelado"))
    }),
];

fn id(arguments: &Map<String, Value>) -> &str {
    arguments["id"].as_str().unwrap_or_default()
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let shop = Arc::new(Shop::default());
    let mut agent = Agent::from_text(include_str!("../agent.yaml"));
    for (tool, handler) in HANDLERS {
        let shop = Arc::clone(&shop);
        agent = agent.blocking_handler(tool, move |arguments, context: NativeContext| {
            handler(&shop, context.run.chat.as_str(), &arguments)
        });
    }
    let agent = agent.start().await?;
    let chat = agent.chat("terminal:local");
    for line in io::stdin().lock().lines() {
        for text in chat.send(&line?).await? {
            writeln!(io::stdout(), "{text}")?;
        }
    }
    agent.stop().await;
    Ok(())
}
