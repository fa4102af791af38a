//! The drawing: intensity and stress over the phases, what was about, and what happened, one below the other.

use std::fmt::Write;

use super::chart::{Panel, WIDTH};
use super::{Moment, mean, rises, spans};
use crate::sim::director::Phase;

const HEIGHT: f32 = 560.0;
const STYLE: &str = "text{font:13px system-ui,Segoe UI,Helvetica,Arial,sans-serif;fill:#39424e}\
.title{font-size:18px;font-weight:600;fill:#1d2530}.note{fill:#5f6b7a}\
.number,.second{font-size:12px;fill:#5f6b7a}.number{text-anchor:end}.second,.axis{text-anchor:middle}\
.axis{fill:#5f6b7a}.grid{stroke:#1d2530;stroke-opacity:.09}\
.build_up{fill:#f3f5f8}.sustain{fill:#f7b9a9}.fade{fill:#fbe3bf}.relax{fill:#cfe8d5}\
.intensity,.stress,.target{fill:none;stroke-linejoin:round}\
.intensity{stroke:#c2371f;stroke-width:1.6}.stress{stroke:#1f5fbf;stroke-width:2}\
.target{stroke:#1f5fbf;stroke-width:1.4;stroke-dasharray:6 5;stroke-opacity:.75}\
.commons{fill:#8d99a8;fill-opacity:.35}.commons-edge{fill:none;stroke:#6b7786;stroke-width:1.3}\
.specials{fill:#8a4fbf;fill-opacity:.3}.specials-edge{fill:none;stroke:#8a4fbf;stroke-width:1.3}\
.panic{fill:#e0792b}.tank{fill:#7a1f1f}.witch{fill:#b34f8d}.down{fill:#d8a013}\
.mob{fill:#1d2530}.mob-line{stroke:#1d2530;stroke-opacity:.35;stroke-dasharray:2 3}\
.death{stroke:#c2371f;stroke-width:2.4;stroke-linecap:round}";

/// Draws a match.
pub fn svg(moments: &[Moment], title: &str) -> String {
    let secs = moments.last().map_or(1.0, |last| last.secs.max(1.0));
    let panel = |top, height, most| Panel { top, height, most, secs };
    let mut out = String::with_capacity(64 * 1024);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\"><style>{STYLE}</style>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\
         <text class=\"title\" x=\"28\" y=\"32\">{}</text>",
        escaped(title)
    );
    note(&mut out, moments);
    legend(&mut out);
    let pressed = panel(96.0, 190.0, 1.0);
    press(&mut out, moments, &pressed);
    let most = moments.iter().map(|m| m.commons).max().unwrap_or(0).max(30);
    let about = panel(306.0, 80.0, most.next_multiple_of(10) as f32);
    about.grid(&mut out, "commons", &[0.0, about.most / 2.0, about.most]);
    about.area(&mut out, moments, "commons", &|m| m.commons as f32);
    let most = moments.iter().map(|m| m.specials).max().unwrap_or(0).max(4);
    let few = panel(400.0, 36.0, most as f32);
    few.grid(&mut out, "", &[0.0, few.most]);
    few.lane(&mut out, "specials", few.top + few.height / 2.0);
    few.area(&mut out, moments, "specials", &|m| m.specials as f32);
    let lanes = panel(448.0, 62.0, 1.0);
    lanes.time(&mut out, pressed.top);
    happen(&mut out, moments, &lanes, pressed.top);
    out.push_str("</svg>\n");
    out
}

fn note(out: &mut String, moments: &[Moment]) {
    let target = moments.first().map_or(0.0, |first| first.target);
    let (stress, error) =
        (mean(moments, |m| m.stress), mean(moments, |m| (m.stress - m.target).abs()));
    let mobs = rises(moments, |m| m.mobs).len();
    let dead = moments.last().map_or(0, |last| last.dead);
    let secs = moments.last().map_or(0.0, |last| last.secs);
    let _ = write!(
        out,
        "<text class=\"note\" x=\"28\" y=\"54\">{secs:.0} s; mobs {mobs}, dead at the end {dead}; mean stress \
         {stress:.2}, {error:.2} from the target of {target}</text>"
    );
}

/// What the colours mean.
fn legend(out: &mut String) {
    let mut x = 92.0;
    let y = 80.0;
    for (class, name) in [("intensity", "intensity"), ("stress", "stress"), ("target", "target")] {
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"M{x} {}h22\"/><text x=\"{}\" y=\"{y}\">{name}</text>",
            y - 4.0,
            x + 28.0
        );
        x += 50.0 + 7.0 * name.len() as f32;
    }
    for phase in Phase::ALL {
        let (class, name) = phase_names(phase);
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"16\" height=\"12\" stroke=\"#1d2530\" \
             stroke-opacity=\".2\"/><text x=\"{}\" y=\"{y}\">{name}</text>",
            y - 10.0,
            x + 22.0
        );
        x += 44.0 + 7.0 * name.len() as f32;
    }
    let _ = write!(
        out,
        "<path class=\"mob\" d=\"M{x} {}h10l-5 9z\"/><text x=\"{}\" y=\"{y}\">mob</text>",
        y - 9.0,
        x + 16.0
    );
    x += 66.0;
    cross(out, x + 5.0, y - 4.0);
    let _ = write!(out, "<text x=\"{}\" y=\"{y}\">death</text>", x + 16.0);
}

fn phase_names(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::BuildUp => ("build_up", "build-up"),
        Phase::Sustain => ("sustain", "sustained peak"),
        Phase::Fade => ("fade", "fade"),
        Phase::Relax => ("relax", "relaxation"),
    }
}

/// Intensity and stress, over the phases.
fn press(out: &mut String, moments: &[Moment], panel: &Panel) {
    for span in spans(moments, |m| m.phase) {
        panel.band(out, &span, phase_names(span.what).0);
    }
    panel.grid(out, "intensity, stress", &[0.0, 0.25, 0.5, 0.75, 1.0]);
    panel.line(out, moments, "target", &|m| m.target);
    panel.line(out, moments, "intensity", &|m| m.intensity);
    panel.line(out, moments, "stress", &|m| m.stress);
}

/// What a lane is called, and when there is a bar in it.
type Lane = (&'static str, fn(&Moment) -> bool);

/// Lanes of what was so, and marks of what happened.
fn happen(out: &mut String, moments: &[Moment], panel: &Panel, top: f32) {
    let lanes: [Lane; 4] = [
        ("panic", |m| m.panic),
        ("tank", |m| m.tank),
        ("witch", |m| m.witch),
        ("down", |m| m.down > 0),
    ];
    let each = panel.height / lanes.len() as f32;
    for (n, (name, is)) in lanes.into_iter().enumerate() {
        let lane = panel.top + each * n as f32;
        panel.lane(out, name, lane + each / 2.0);
        for span in spans(moments, is).iter().filter(|span| span.what) {
            panel.bar(out, span, name, lane + 3.0, each - 6.0);
        }
    }
    for secs in rises(moments, |m| m.mobs) {
        let x = panel.x(secs);
        let bottom = panel.top + panel.height;
        let _ = write!(
            out,
            "<line class=\"mob-line\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>\
             <path class=\"mob\" d=\"M{:.1} {:.1}h10l-5 9z\"/>",
            x - 5.0,
            top - 5.0
        );
    }
    for secs in rises(moments, |m| m.dead) {
        cross(out, panel.x(secs), top + 12.0);
    }
}

fn cross(out: &mut String, x: f32, y: f32) {
    let _ =
        write!(out, "<path class=\"death\" d=\"M{:.1} {:.1}l9 9m0 -9l-9 9\"/>", x - 4.5, y - 4.5);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::moments;
    use super::*;

    #[test]
    fn a_drawing_has_what_happened() {
        let drawn = svg(&moments(), "a <match>");
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"));
        assert!(drawn.contains("a &lt;match&gt;"));
        // The legend has one of each; so many more were drawn.
        let count = |what: &str| drawn.matches(what).count();
        assert_eq!(count("class=\"sustain\""), 1 + 1);
        assert_eq!(count("class=\"build_up\""), 1 + 2);
        assert_eq!(count("class=\"death\""), 1 + 1);
        assert_eq!(count("class=\"mob-line\""), 1);
        assert_eq!((count("class=\"tank\""), count("class=\"witch\"")), (1, 0));
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }

    #[test]
    fn a_match_without_a_moment_is_drawn_empty() {
        let drawn = svg(&[], "nothing");
        assert!(!drawn.contains("NaN") && drawn.contains("nothing"));
    }
}
