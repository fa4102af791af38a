//! A chart as SVG.

use std::fmt::Write;

use super::drawing::{Anchor, Colour, Drawing, INK, Shape};

const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

impl Drawing {
    /// As SVG, in the sans-serif letters of its reader.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" font-size=\"13\" fill=\"{}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
            hex(INK)
        );
        self.shapes.iter().for_each(|shape| write_shape(&mut out, shape));
        out.push_str("</svg>\n");
        out
    }
}

fn write_shape(out: &mut String, shape: &Shape) {
    let _ = match shape {
        Shape::Lines { lines, colour, width, dash } => {
            let mut d = String::new();
            lines.iter().for_each(|line| trace(&mut d, line));
            let dash = match dash {
                [] => String::new(),
                some => {
                    let lengths: Vec<String> = some.iter().map(f64::to_string).collect();
                    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
                }
            };
            writeln!(
                out,
                "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>",
                hex(*colour)
            )
        }
        Shape::Area { corners, colour, opacity } => {
            let mut d = String::new();
            trace(&mut d, corners);
            writeln!(out, "<path d=\"{d}Z\" fill=\"{}\" fill-opacity=\"{opacity}\"/>", hex(*colour))
        }
        Shape::Text { text, x, y, size, anchor, upright, bold } => {
            let place = match upright {
                true => format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
                false => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
            };
            let size = if *size == 13.0 { String::new() } else { format!(" font-size=\"{size}\"") };
            let bold = if *bold { " font-weight=\"bold\"" } else { "" };
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            writeln!(out, "<text {place}{size}{bold}{anchor}>{}</text>", escaped(text))
        }
    };
}

fn trace(out: &mut String, points: &[(f64, f64)]) {
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(out, "{}{x:.2} {y:.2}", if i == 0 { 'M' } else { 'L' });
    }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
