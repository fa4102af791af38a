//! The page in a real browser. Where chromedriver is missing, every test says that it is skipped.

mod accessible;
mod charts;
mod doubtful;
mod pages;
mod site;
mod table;
mod types;
mod views;
mod webdriver;
