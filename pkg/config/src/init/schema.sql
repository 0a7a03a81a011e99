-- Runs once, in a transaction, when the database is new.
create table menu (product text primary key, name text not null, price integer not null);
create table orders (
  id integer primary key,
  customer text not null,
  product text not null references menu (product),
  amount integer not null check (amount between 1 and 50)
);
insert into menu values ('bread', 'Bread', 250), ('cake', 'Chocolate cake', 2800), ('coffee', 'Coffee', 300);
