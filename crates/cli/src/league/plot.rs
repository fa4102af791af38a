//! The league as a picture: Elo over steps, and the matrix of cross-play as a heat map.

use lanista_league::table::Cell;
use lanista_watch::human;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::cross_play::CrossPlay;
use super::standings::{ANCHOR_ELO, Standings};

/// Most points of the learner's curve: more cannot be told apart at this width.
const MOST_POINTS: usize = 500;
/// Room of both charts, in pixels.
const WIDTH: i32 = 960;
const CURVE_HEIGHT: i32 = 440;
/// Room around the cells of the heat map: names and ratings, title, the scale of colours.
const LEFT: i32 = 250;
const RATING: i32 = 100;
const TITLE: i32 = 84;
const RIGHT: i32 = 120;
const BOTTOM: i32 = 24;
/// How wide a letter of a label is, about: an SVG does not know the letters of its reader.
const LETTER: i32 = 7;
/// Sizes of a cell: below the smaller its number cannot be read.
const CELL: (i32, i32) = (30, 52);
/// The height of the scale of colours.
const SCALE: i32 = 160;

/// Blue and orange, which also the colour-blind tell apart.
const BLUE: RGBColor = RGBColor(22, 104, 168);
const ORANGE: RGBColor = RGBColor(217, 116, 28);
const INK: RGBColor = RGBColor(34, 34, 34);
const GREY: RGBColor = RGBColor(110, 110, 110);
const RULE: RGBColor = RGBColor(225, 225, 225);
const NOTHING: RGBColor = RGBColor(240, 240, 240);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// What drawing into a text fails with.
type Fault = DrawingAreaErrorKind<std::io::Error>;

/// Draws the league; the heat map only if there was cross-play.
pub fn svg(run: &str, standings: &Standings, played: Option<&CrossPlay>) -> anyhow::Result<String> {
    let heat = played.map(Heat::new);
    let width = heat.as_ref().map_or(WIDTH, |heat| heat.width.max(WIDTH));
    let height = CURVE_HEIGHT + heat.as_ref().map_or(0, |heat| heat.height);
    let mut text = String::new();
    {
        let backend = SVGBackend::with_string(&mut text, (width as u32, height as u32));
        let root = backend.into_drawing_area();
        root.fill(&WHITE)?;
        let (above, below) = root.split_vertically(CURVE_HEIGHT);
        curve(&above, run, standings)?;
        if let Some(heat) = heat {
            heat.draw(&below)?;
        }
        root.present()?;
    }
    Ok(text)
}

/// Text of one size and colour, held at one of its corners.
fn style(size: i32, color: &RGBColor, h: HPos, v: VPos) -> TextStyle<'_> {
    TextStyle::from(("sans-serif", size).into_font()).color(color).pos(Pos::new(h, v))
}

fn write(area: &Area, text: &str, at: (i32, i32), style: &TextStyle) -> Result<(), Fault> {
    area.draw(&Text::new(text, at, style.clone()))
}

/// At most so many points, evenly spaced; the last one is always among them.
fn thin(points: &[(u64, f64)], most: usize) -> Vec<(f64, f64)> {
    let count = points.len().min(most);
    let index = |i: usize| (i + 1) * points.len() / count - 1;
    (0..count).map(|i| points[index(i)]).map(|(steps, elo)| (steps as f64, elo)).collect()
}

/// Elo over steps: the learner as a line, its snapshots as dots, the anchor as a dashed line.
fn curve(area: &Area, run: &str, standings: &Standings) -> Result<(), Fault> {
    let snapshots = standings.state.pool.snapshots();
    let line = thin(&standings.history.curve, MOST_POINTS);
    let newest = (standings.steps as f64, standings.state.elo);
    let anchor = standings.anchor.as_ref().map(|_| ANCHOR_ELO);
    let mine = line.iter().map(|p| p.1).chain([newest.1]);
    let ratings = mine.chain(snapshots.iter().map(|s| s.elo)).chain(anchor);
    let (low, high) = ratings.fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(r), h.max(r)));
    let room = (0.08 * (high - low)).max(20.0);
    // Whatever is drawn lies within the axes: a mark far outside has no place among the pixels.
    let taken = snapshots.iter().map(|s| s.steps as f64);
    let last = line.iter().map(|p| p.0).chain(taken).fold(newest.0, f64::max).max(1.0);

    let title = format!("Elo over steps: {run} ({})", standings.game);
    write(area, &title, (24, 18), &style(22, &INK, HPos::Left, VPos::Top))?;
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_top(80)
        .margin_right(32)
        .x_label_area_size(46)
        .y_label_area_size(66)
        .build_cartesian_2d(0.0..last * 1.02, low - room..high + room)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RULE)
        .axis_style(GREY)
        .label_style(style(15, &INK, HPos::Left, VPos::Top))
        .axis_desc_style(style(16, &INK, HPos::Left, VPos::Top))
        .x_desc("steps of the learner")
        .y_desc("rating in Elo points")
        .x_labels(9)
        .y_labels(8)
        .x_label_formatter(&|steps| human::count(steps.max(0.0).round() as u64))
        .y_label_formatter(&|elo| format!("{elo:.0}"))
        .draw()?;
    if let Some(elo) = anchor {
        let ends = [(0.0, elo), (last * 1.02, elo)];
        let dashes = GREY.stroke_width(2);
        chart.draw_series(DashedLineSeries::new(ends, 8, 6, dashes))?;
    }
    if line.is_empty() {
        chart.draw_series([Circle::new(newest, 5, BLUE.filled())])?;
    }
    chart.draw_series(LineSeries::new(line, BLUE.stroke_width(2)))?;
    for s in snapshots {
        let at = (s.steps as f64, s.elo);
        let (inside, edge) = if s.usable { (ORANGE, WHITE) } else { (WHITE, GREY) };
        chart.draw_series([Circle::new(at, 5, inside.filled()), Circle::new(at, 5, edge)])?;
    }
    legend(area, standings)
}

/// What the marks of the curve mean, in a row under its title.
fn legend(area: &Area, standings: &Standings) -> Result<(), Fault> {
    let (y, text) = (60, style(15, &INK, HPos::Left, VPos::Center));
    let mut x = 98;
    let mut entry = |label: &str| -> Result<i32, Fault> {
        let at = x;
        write(area, label, (at + 36, y), &text)?;
        x += 36 + LETTER * label.chars().count() as i32 + 28;
        Ok(at)
    };
    let at = entry("learner")?;
    area.draw(&PathElement::new([(at, y), (at + 28, y)], BLUE.stroke_width(2)))?;
    let snapshots = standings.state.pool.snapshots();
    if snapshots.iter().any(|s| s.usable) {
        let at = entry("snapshots of the pool")?;
        area.draw(&Circle::new((at + 18, y), 5, ORANGE.filled()))?;
    }
    if snapshots.iter().any(|s| !s.usable) {
        let at = entry("damaged snapshots")?;
        area.draw(&Circle::new((at + 18, y), 5, GREY))?;
    }
    if let Some(anchor) = &standings.anchor {
        let at = entry(&format!("{anchor}, the anchor at {ANCHOR_ELO:.0}"))?;
        for dash in [at, at + 10, at + 20] {
            area.draw(&PathElement::new([(dash, y), (dash + 6, y)], GREY.stroke_width(2)))?;
        }
    }
    Ok(())
}

/// How the heat map lies.
struct Heat<'a> {
    played: &'a CrossPlay,
    cell: i32,
    /// Where the cells begin, below the names of their columns.
    top: i32,
    width: i32,
    height: i32,
}

impl<'a> Heat<'a> {
    fn new(played: &'a CrossPlay) -> Self {
        let players = played.estimates.len() as i32;
        let cell = ((WIDTH - LEFT - RIGHT) / players.max(1)).clamp(CELL.0, CELL.1);
        let letters = played.estimates.iter().map(|e| short(&e.name).chars().count()).max();
        let top = TITLE + LETTER * letters.unwrap_or(0) as i32 + 14;
        let side = cell * players;
        let height = top + side.max(SCALE) + BOTTOM;
        Self { played, cell, top, width: LEFT + side + RIGHT, height }
    }

    fn draw(&self, area: &Area) -> Result<(), Fault> {
        let (played, cell) = (self.played, self.cell);
        let title = format!("Cross-play: {} matches a pair", played.matches);
        write(area, &title, (24, 14), &style(22, &INK, HPos::Left, VPos::Top))?;
        let about = "points per match of the row's player against the column's, in %; in grey the \
                     Elo estimate with its 95 % interval";
        write(area, about, (24, 46), &style(15, &GREY, HPos::Left, VPos::Top))?;
        let size = if cell < 40 { 13 } else { 15 };
        let row_name = style(15, &INK, HPos::Right, VPos::Center);
        let row_rating = style(15, &GREY, HPos::Right, VPos::Center);
        let upright = style(15, &INK, HPos::Left, VPos::Center).transform(FontTransform::Rotate270);
        for (i, (player, row)) in played.estimates.iter().zip(&played.matrix).enumerate() {
            let (x, y) = (LEFT + i as i32 * cell, self.top + i as i32 * cell);
            let (name, middle) = (short(&player.name), y + cell / 2);
            let rating = match player.rating {
                Some(r) if r.high > r.low => format!("{:.0} ± {:.0}", r.elo, r.high - r.elo),
                Some(r) => format!("{:.0}", r.elo),
                None => String::new(),
            };
            write(area, &name, (LEFT - RATING, middle), &row_name)?;
            write(area, &rating, (LEFT - 12, middle), &row_rating)?;
            write(area, &name, (x + cell / 2, self.top - 10), &upright)?;
            for (j, field) in row.iter().enumerate() {
                self.field(area, (LEFT + j as i32 * cell, y), field, size)?;
            }
        }
        self.scale(area, LEFT + played.estimates.len() as i32 * cell + 28)
    }

    /// One cell; grey where a pair did not meet.
    fn field(&self, area: &Area, (x, y): (i32, i32), field: &Cell, size: i32) -> Result<(), Fault> {
        let corners = [(x + 1, y + 1), (x + self.cell - 1, y + self.cell - 1)];
        let Some(score) = field.score else {
            return area.draw(&Rectangle::new(corners, NOTHING.filled()));
        };
        area.draw(&Rectangle::new(corners, heat(score).filled()))?;
        // Dark letters are easier to read on all but the strongest blue.
        let ink = if score > 0.9 { &WHITE } else { &INK };
        let middle = (x + self.cell / 2, y + self.cell / 2);
        let text = format!("{:.0}", 100.0 * score);
        write(area, &text, middle, &style(size, ink, HPos::Center, VPos::Center))
    }

    /// The scale of the colours.
    fn scale(&self, area: &Area, x: i32) -> Result<(), Fault> {
        let (width, bars) = (16, SCALE / 4);
        for bar in 0..bars {
            let score = 1.0 - (f64::from(bar) + 0.5) / f64::from(bars);
            let top = self.top + 4 * bar;
            let corners = [(x, top), (x + width, top + 4)];
            area.draw(&Rectangle::new(corners, heat(score).filled()))?;
        }
        let text = style(14, &INK, HPos::Left, VPos::Center);
        for (label, y) in [("100 % won", 6), ("50 %", SCALE / 2), ("0 % lost", SCALE - 6)] {
            write(area, label, (x + width + 8, self.top + y), &text)?;
        }
        Ok(())
    }
}

/// From orange over white to blue.
fn heat(score: f64) -> RGBColor {
    let far = (2.0 * score - 1.0).clamp(-1.0, 1.0);
    let end = if far < 0.0 { ORANGE } else { BLUE };
    let mixed = |part: u8| (255.0 + far.abs() * (f64::from(part) - 255.0)).round() as u8;
    RGBColor(mixed(end.0), mixed(end.1), mixed(end.2))
}

/// The end of a long name: the telling part of a path.
fn short(name: &str) -> String {
    const MOST: usize = 16;
    let letters = name.chars().count();
    match letters > MOST {
        true => "…".chars().chain(name.chars().skip(letters + 1 - MOST)).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_is_thinned_and_keeps_its_end() {
        let points: Vec<(u64, f64)> = (0..12_345).map(|i| (i, i as f64)).collect();
        let thinned = thin(&points, MOST_POINTS);
        assert_eq!(thinned.len(), MOST_POINTS);
        assert_eq!(thinned.last(), Some(&(12_344.0, 12_344.0)));
        assert!(thinned.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(thin(&points[..3], MOST_POINTS).len(), 3);
        assert!(thin(&[], MOST_POINTS).is_empty());
    }

    #[test]
    fn colours_run_from_lost_to_won() {
        assert_eq!((heat(0.0), heat(0.5), heat(1.0)), (ORANGE, WHITE, BLUE));
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(short("bot:equilibrium"), "bot:equilibrium");
        assert_eq!(short("target:runs/old/model.zip"), "…s/old/model.zip");
    }
}
