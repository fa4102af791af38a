//! A chart as PNG: lines and areas by tiny-skia, letters by our own strokes, so that neither files nor fonts of the
//! machine are needed and the same numbers give the same picture everywhere.

use std::io::Write;

use flate2::Compression;
use flate2::Crc;
use flate2::write::ZlibEncoder;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};

use super::drawing::{Anchor, Colour, Drawing, INK, Shape};
use super::letters::{BOLD, Part, STROKE, strokes, unit, width};

/// The most pixels of a picture.
const MOST: f64 = 64e6;
/// Pixels of a metre at a scale of 1: 96 an inch.
const PER_METRE: f64 = 96.0 / 0.0254;

impl Drawing {
    /// As PNG, with so many pixels for each of the drawing's. None if that is more than a picture may have.
    pub fn png(&self, scale: f64) -> Option<Vec<u8>> {
        let (wide, high) = ((self.width * scale).round(), (self.height * scale).round());
        if !(wide >= 1.0 && high >= 1.0 && wide * high <= MOST) {
            return None;
        }
        let (wide, high) = (wide as u32, high as u32);
        let mut pixels = Pixmap::new(wide, high)?;
        pixels.fill(Color::WHITE);
        let scaled = Transform::from_scale(scale as f32, scale as f32);
        for shape in &self.shapes {
            draw(&mut pixels, shape, scaled);
        }
        // Everything lies on white, so no pixel is transparent.
        let rgb: Vec<u8> =
            pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
        Some(encoded(wide, high, &rgb, PER_METRE * scale))
    }
}

fn draw(pixels: &mut Pixmap, shape: &Shape, scaled: Transform) {
    match shape {
        Shape::Lines { lines, colour, width, dash } => {
            let mut path = PathBuilder::new();
            lines.iter().for_each(|line| trace(&mut path, line));
            let dash = StrokeDash::new(dash.iter().map(|&length| length as f32).collect(), 0.0);
            let line_join = LineJoin::Round;
            let stroke = Stroke { width: *width as f32, line_join, dash, ..Stroke::default() };
            if let Some(path) = path.finish() {
                pixels.stroke_path(&path, &paint(*colour, 1.0), &stroke, scaled, None);
            }
        }
        Shape::Area { corners, colour, opacity } => {
            let mut path = PathBuilder::new();
            trace(&mut path, corners);
            path.close();
            if let Some(path) = path.finish() {
                let paint = paint(*colour, *opacity);
                pixels.fill_path(&path, &paint, FillRule::Winding, scaled, None);
            }
        }
        Shape::Text { text, x, y, size, anchor, upright, bold } => {
            let before = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width(text, *size) / 2.0,
                Anchor::End => width(text, *size),
            };
            let Some(path) = written(text, *size, -before) else { return };
            let turned = if *upright { -90.0 } else { 0.0 };
            let placed = scaled.pre_translate(*x as f32, *y as f32).pre_rotate(turned);
            let wide = unit(*size) * if *bold { BOLD } else { STROKE };
            let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
            let stroke = Stroke { width: wide as f32, line_cap, line_join, ..Stroke::default() };
            pixels.stroke_path(&path, &paint(INK, 1.0), &stroke, placed, None);
        }
    }
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let [r, g, b] = colour;
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (255.0 * opacity).round() as u8);
    paint
}

fn trace(path: &mut PathBuilder, points: &[(f64, f64)]) {
    for (i, &(x, y)) in points.iter().enumerate() {
        match i {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
}

fn written(text: &str, size: f64, x: f64) -> Option<Path> {
    let mut path = PathBuilder::new();
    for part in strokes(text, size, x, 0.0) {
        match part {
            Part::Move(x, y) => path.move_to(x as f32, y as f32),
            Part::Line(x, y) => path.line_to(x as f32, y as f32),
            Part::Curve(p) => {
                let [a, b, c, d, e, f] = p.map(|place| place as f32);
                path.cubic_to(a, b, c, d, e, f);
            }
            Part::Close => path.close(),
        }
    }
    path.finish()
}

/// A PNG of 8 bits a colour, each line as the difference to the one above, which is often none.
fn encoded(wide: u32, high: u32, rgb: &[u8], per_metre: f64) -> Vec<u8> {
    let line = 3 * wide as usize;
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut above = vec![0u8; line];
    for row in rgb.chunks_exact(line) {
        let differences: Vec<u8> =
            row.iter().zip(&above).map(|(a, b)| a.wrapping_sub(*b)).collect();
        // Writing to a vector cannot fail.
        let _ = compressed.write_all(&[2]).and_then(|()| compressed.write_all(&differences));
        above.copy_from_slice(row);
    }
    let compressed = compressed.finish().unwrap_or_default();
    let mut head = [wide.to_be_bytes(), high.to_be_bytes()].concat();
    head.extend([8, 2, 0, 0, 0]); // bits, colours without alpha, and the only methods there are
    let density = (per_metre.round() as u32).to_be_bytes();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &head);
    chunk(&mut out, b"pHYs", &[&density[..], &density[..], &[1]].concat());
    chunk(&mut out, b"IDAT", &compressed);
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(kind);
    out.extend(bytes);
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(bytes);
    out.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::ZlibDecoder;

    use super::*;

    /// Width, height and pixels of a PNG as it is written here.
    fn decoded(png: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
        let (mut at, mut data, mut size) = (8, Vec::new(), (0, 0));
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        while at < png.len() {
            let (length, kind) = (number(at), &png[at + 4..at + 8]);
            let body = &png[at + 8..at + 8 + length];
            match kind {
                b"IHDR" => size = (number(at + 8), number(at + 12)),
                b"IDAT" => data.extend(body),
                _ => {}
            }
            at += 12 + length;
        }
        let mut raw = Vec::new();
        ZlibDecoder::new(&data[..]).read_to_end(&mut raw).unwrap();
        let line = 3 * size.0;
        let mut rows: Vec<Vec<u8>> = vec![vec![0; line]];
        for row in raw.chunks_exact(line + 1) {
            assert_eq!(row[0], 2);
            let above = rows.last().unwrap();
            rows.push(row[1..].iter().zip(above).map(|(a, b)| a.wrapping_add(*b)).collect());
        }
        let pixels = rows[1..].concat();
        (size.0, size.1, pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect())
    }

    #[test]
    fn shapes_are_where_they_belong() {
        let area = Shape::Area {
            corners: vec![(10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)],
            colour: [200, 0, 0],
            opacity: 1.0,
        };
        let text = Shape::Text {
            text: "l".into(),
            x: 40.0,
            y: 30.0,
            size: 20.0,
            anchor: Anchor::Middle,
            upright: false,
            bold: true,
        };
        let drawing = Drawing { width: 60.0, height: 40.0, shapes: vec![area, text] };
        for scale in [1.0, 2.0, 3.0] {
            let (wide, high, pixels) = decoded(&drawing.png(scale).unwrap());
            assert_eq!((wide, high), ((60.0 * scale) as usize, (40.0 * scale) as usize));
            let at = |x: f64, y: f64| pixels[(y * scale) as usize * wide + (x * scale) as usize];
            assert_eq!(at(15.0, 15.0), [200, 0, 0]);
            assert_eq!(at(25.0, 15.0), [255; 3]);
            assert!(at(40.0, 22.0)[0] < 150, "the letter: {:?}", at(40.0, 22.0));
            assert_eq!(at(46.0, 22.0), [255; 3]);
        }
        assert!(drawing.png(1000.0).is_none() && drawing.png(0.0).is_none());
    }

    #[test]
    fn nothing_is_white_and_places_that_are_no_numbers_do_no_harm() {
        let lines = vec![vec![(f64::NAN, 1.0), (3.0, f64::INFINITY)]];
        let lines = Shape::Lines { lines, colour: INK, width: 1.0, dash: &[] };
        let drawing = Drawing { width: 8.0, height: 8.0, shapes: vec![lines] };
        let (.., pixels) = decoded(&drawing.png(1.0).unwrap());
        assert!(pixels.iter().all(|p| *p == [255; 3]));
    }
}
