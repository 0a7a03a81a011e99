-- Runs once, in a transaction, when shop.db is new.
create table menu (
  clave text primary key,
  nombre text not null,
  precio integer not null check (precio > 0) -- whole pesos
);

insert into menu (clave, nombre, precio) values
  ('almojabana', 'Almojábana', 3000),
  ('bunuelo', 'Buñuelo', 2000),
  ('cafe', 'Café', 3500),
  ('croissant', 'Croissant', 5500),
  ('pan_de_bono', 'Pan de bono', 2500),
  ('torta_de_chocolate', 'Torta de chocolate', 48000);

create table pedidos (
  numero integer primary key autoincrement,
  id text generated always as ('P-' || (1000 + numero)) stored unique,
  chat text not null, -- whose order it is
  run text not null unique, -- the run that made it
  creado text not null,
  estado text not null default 'confirmado' check (estado in ('confirmado', 'cancelado')),
  total integer not null default 0
);

create index pedidos_por_chat on pedidos (chat);

-- The price is the one of the day of the order.
create table lineas (
  pedido integer not null references pedidos (numero),
  linea integer not null,
  producto text not null references menu (clave),
  cantidad integer not null check (cantidad between 1 and 50),
  precio integer not null,
  subtotal integer generated always as (cantidad * precio) stored,
  primary key (pedido, linea)
);

-- An order as people and models read it.
create view pedidos_leidos as
select
  p.chat,
  p.numero,
  p.id,
  p.total,
  p.estado,
  (
    select json_group_array(json_object(
      'producto', l.producto, 'nombre', m.nombre, 'cantidad', l.cantidad,
      'precio', l.precio, 'subtotal', l.subtotal) order by l.linea)
    from lineas l join menu m on m.clave = l.producto
    where l.pedido = p.numero
  ) as items
from pedidos p;
