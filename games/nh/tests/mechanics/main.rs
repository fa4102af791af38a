//! The rules of a fight, one by one: each test sets up a situation and says what chance decides.

mod duel;
mod ending;
mod gear;
mod hits;
mod movement;
mod offers;
mod order;
mod prayer;
mod reach;
mod rules;
mod script;
mod specials;
mod spells;
mod supplies;
mod vengeance;
mod wounds;
