//! How fast the matrix products are: `cargo bench -p lanista-nn --bench products`.
//!
//! Billions of multiply-adds count as two operations each; the median of many repeats is printed.

use std::hint::black_box;
use std::time::Instant;

use lanista_nn::{product, product_input, product_weight};

fn gflops(flops: f64, mut work: impl FnMut()) -> f64 {
    for _ in 0..3 {
        work();
    }
    let mut rates = Vec::new();
    let began = Instant::now();
    while began.elapsed().as_millis() < 200 {
        let start = Instant::now();
        let mut n = 0;
        while start.elapsed().as_micros() < 2000 {
            work();
            n += 1;
        }
        rates.push(flops * f64::from(n) / start.elapsed().as_secs_f64() / 1e9);
    }
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn main() {
    println!(
        "{:>6} {:>6} {:>6} {:>10} {:>10} {:>10}",
        "rows", "in", "out", "forward", "d input", "d weight"
    );
    for (rows, input, output) in [
        (1, 128, 256),
        (8, 64, 64),
        (8, 256, 1024),
        (16, 256, 1024),
        (32, 256, 1024),
        (64, 128, 512),
        (128, 128, 512),
        (256, 4, 64),
        (256, 64, 64),
        (512, 4, 128),
        (512, 128, 2),
        (512, 128, 1),
        (512, 256, 256),
        (512, 128, 512),
    ] {
        let x = vec![0.5f32; rows * input];
        let w = vec![0.25f32; input * output];
        let mut y = vec![0.0f32; rows * output];
        let mut dx = vec![0.0f32; rows * input];
        let mut dw = vec![0.0f32; input * output];
        let flops = 2.0 * (rows * input * output) as f64;
        let forward =
            gflops(flops, || product(rows, input, output, black_box(&x), &w, &mut y, false));
        let back =
            gflops(flops, || product_input(rows, input, output, black_box(&y), &w, &mut dx, false));
        let weight =
            gflops(flops, || product_weight(rows, input, output, black_box(&x), &y, &mut dw));
        println!("{rows:6} {input:6} {output:6} {forward:10.1} {back:10.1} {weight:10.1}");
    }
}
