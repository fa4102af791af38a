//! The elementwise halves of LSTM and GRU, over one step of many sequences.
//!
//! Gate order is the common one: `i, f, g, o` for the LSTM and `r, z, n` for the GRU, with
//! `n = tanh(x·Wn + bn + r · (h·Un + un))`. Each kernel takes a row apart into its gates first, so
//! that the inner loops run over plain equal-length slices and vectorise.

use crate::math::{fma, sigmoid, tanh};

/// One row of an LSTM step. `gates` holds the sums on entry and the activated gates on exit.
#[inline]
pub fn lstm_forward(
    hidden: usize,
    gates: &mut [f32],
    c_before: &[f32],
    c: &mut [f32],
    tanh_c: &mut [f32],
    h: &mut [f32],
) {
    // One short loop per function: a loop over all gates at once has too many streams to vectorise.
    let (input_and_forget, rest) = gates.split_at_mut(2 * hidden);
    let (g, o) = rest.split_at_mut(hidden);
    input_and_forget.iter_mut().for_each(|v| *v = sigmoid(*v));
    g.iter_mut().for_each(|v| *v = tanh(*v));
    o.iter_mut().for_each(|v| *v = sigmoid(*v));
    let (i, f) = input_and_forget.split_at(hidden);
    let (c, c_before) = (&mut c[..hidden], &c_before[..hidden]);
    for ((((c, before), i), f), g) in c.iter_mut().zip(c_before).zip(i).zip(f).zip(&*g) {
        *c = fma(*f, *before, i * g);
    }
    for (t, c) in tanh_c[..hidden].iter_mut().zip(&*c) {
        *t = tanh(*c);
    }
    for ((h, o), t) in h[..hidden].iter_mut().zip(&*o).zip(&*tanh_c) {
        *h = o * t;
    }
}

/// One row back. `gates` holds the activated gates; `d_gates` receives the gradient of their sums,
/// `dc` goes from the gradient of this step's cell to that of the step before.
#[inline]
pub fn lstm_backward(
    hidden: usize,
    gates: &[f32],
    c_before: &[f32],
    tanh_c: &[f32],
    dh: &[f32],
    dc: &mut [f32],
    d_gates: &mut [f32],
) {
    let (i, rest) = gates.split_at(hidden);
    let (f, rest) = rest.split_at(hidden);
    let (g, o) = rest.split_at(hidden);
    let (di, rest) = d_gates.split_at_mut(hidden);
    let (df, rest) = rest.split_at_mut(hidden);
    let (dg, d_o) = rest.split_at_mut(hidden);
    let (o, d_o, c_before) = (&o[..hidden], &mut d_o[..hidden], &c_before[..hidden]);
    let (tanh_c, dh, dc) = (&tanh_c[..hidden], &dh[..hidden], &mut dc[..hidden]);
    for j in 0..hidden {
        let cell = fma(dh[j] * o[j], fma(-tanh_c[j], tanh_c[j], 1.0), dc[j]);
        di[j] = cell * g[j] * i[j] * (1.0 - i[j]);
        df[j] = cell * c_before[j] * f[j] * (1.0 - f[j]);
        dg[j] = cell * i[j] * fma(-g[j], g[j], 1.0);
        d_o[j] = dh[j] * tanh_c[j] * o[j] * (1.0 - o[j]);
        dc[j] = cell * f[j];
    }
}

/// One row of a GRU step. `gates` holds the input sums on entry and the activated gates on exit;
/// `from_h` holds `h·U` on entry, and its last third gains the bias `un`.
#[inline]
pub fn gru_forward(
    hidden: usize,
    gates: &mut [f32],
    from_h: &mut [f32],
    bias_n: &[f32],
    h_before: &[f32],
    h: &mut [f32],
) {
    let (r_and_z, n) = gates.split_at_mut(2 * hidden);
    let (from_h, hn) = from_h.split_at_mut(2 * hidden);
    for (v, h) in r_and_z.iter_mut().zip(&*from_h) {
        *v = sigmoid(*v + h);
    }
    hn.iter_mut().zip(bias_n).for_each(|(v, b)| *v += b);
    let (r, z) = r_and_z.split_at(hidden);
    for ((n, r), hn) in n.iter_mut().zip(r).zip(&*hn) {
        *n = tanh(fma(*r, *hn, *n));
    }
    for (((h, z), before), n) in h[..hidden].iter_mut().zip(z).zip(h_before).zip(&*n) {
        *h = fma(*z, before - n, *n);
    }
}

/// One row back. `d_gates` receives the gradient of the input sums, `d_from_h` that of `h·U`, and
/// `dh` becomes the part of the gradient that passes straight to the state before.
#[inline]
pub fn gru_backward(
    hidden: usize,
    gates: &[f32],
    from_h: &[f32],
    h_before: &[f32],
    dh: &mut [f32],
    d_gates: &mut [f32],
    d_from_h: &mut [f32],
) {
    let (r, rest) = gates.split_at(hidden);
    let (z, n) = rest.split_at(hidden);
    let (dr, rest) = d_gates.split_at_mut(hidden);
    let (dz, dn) = rest.split_at_mut(hidden);
    let (er, rest) = d_from_h.split_at_mut(hidden);
    let (ez, en) = rest.split_at_mut(hidden);
    let (n, dn, en, dh) = (&n[..hidden], &mut dn[..hidden], &mut en[..hidden], &mut dh[..hidden]);
    let (hn, h_before) = (&from_h[2 * hidden..3 * hidden], &h_before[..hidden]);
    for j in 0..hidden {
        dn[j] = dh[j] * (1.0 - z[j]) * fma(-n[j], n[j], 1.0);
        dz[j] = dh[j] * (h_before[j] - n[j]) * z[j] * (1.0 - z[j]);
        dr[j] = dn[j] * hn[j] * r[j] * (1.0 - r[j]);
        er[j] = dr[j];
        ez[j] = dz[j];
        en[j] = dn[j] * r[j];
        dh[j] *= z[j];
    }
}
