//! Small zero-sum games in normal form, solved exactly but for rounding.
//!
//! The row player maximises. With all payoffs made positive by adding a constant, the column player's
//! best mix is the solution of the linear program "maximise the sum of `y` under `A y <= 1`, `y >= 0`",
//! scaled to a sum of 1, and the row player's is that of its dual; one run of the simplex method gives
//! both, and the scale gives the value (von Neumann; Dantzig 1951).

/// Below this a reduced cost counts as zero.
const ZERO: f64 = 1e-12;

/// How two perfect players play, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// What the row player earns on average.
    pub value: f64,
    /// The row player's mix.
    pub rows: Vec<f64>,
    /// The column player's mix.
    pub columns: Vec<f64>,
}

/// Solves a game given by what the row player earns: `payoffs[row][column]`.
pub fn solve(payoffs: &[Vec<f64>]) -> Solution {
    let (rows, columns) = (payoffs.len(), payoffs.first().map_or(0, Vec::len));
    let least = payoffs.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    // One line a constraint: its row of the matrix, a slack variable, and the right-hand side. The
    // last line is the objective.
    let width = columns + rows + 1;
    let mut lines: Vec<Vec<f64>> = payoffs
        .iter()
        .enumerate()
        .map(|(row, payoffs)| {
            let mut line: Vec<f64> = payoffs.iter().map(|payoff| payoff - least + 1.0).collect();
            line.extend((0..rows).map(|slack| f64::from(u8::from(slack == row))));
            line.push(1.0);
            line
        })
        .collect();
    let mut objective = vec![0.0; width];
    objective[..columns].fill(-1.0);
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    // Bland's rule, the first column that helps and the first row that binds, cannot run in circles.
    while let Some(enters) = (0..width - 1).find(|&column| objective[column] < -ZERO) {
        let bound = |row: usize| lines[row][width - 1] / lines[row][enters];
        let leaves = (0..rows)
            .filter(|&row| lines[row][enters] > ZERO)
            .min_by(|&a, &b| bound(a).total_cmp(&bound(b)).then(basis[a].cmp(&basis[b])));
        let Some(leaves) = leaves else { break };
        let pivot = lines[leaves][enters];
        lines[leaves].iter_mut().for_each(|number| *number /= pivot);
        let pivot = lines[leaves].clone();
        let others = lines.iter_mut().enumerate().filter(|(row, _)| *row != leaves);
        for line in others.map(|(_, line)| line).chain([&mut objective]) {
            let factor = line[enters];
            line.iter_mut().zip(&pivot).for_each(|(number, pivot)| *number -= factor * pivot);
        }
        basis[leaves] = enters;
    }
    let scale = 1.0 / objective[width - 1];
    let mut mix = vec![0.0; columns];
    for (row, &variable) in basis.iter().enumerate().filter(|(_, variable)| **variable < columns) {
        mix[variable] = lines[row][width - 1] * scale;
    }
    let rows = objective[columns..columns + rows].iter().map(|dual| dual * scale).collect();
    Solution { value: scale + least - 1.0, rows, columns: mix }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel;
    use proptest::prelude::*;

    /// What the row player earns against a mix of columns, by row.
    fn against(payoffs: &[Vec<f64>], columns: &[f64]) -> Vec<f64> {
        payoffs.iter().map(|row| row.iter().zip(columns).map(|(a, y)| a * y).sum()).collect()
    }

    proptest! {
        /// That neither side can do better is all there is to a solution.
        #[test]
        fn nobody_does_better_against_a_solution(
            numbers in prop::collection::vec(-10.0..10.0f64, 24), rows in 1..5usize
        ) {
            let payoffs: Vec<Vec<f64>> =
                numbers.chunks(24 / rows).take(rows).map(<[f64]>::to_vec).collect();
            let Solution { value, rows, columns } = solve(&payoffs);
            for mix in [&rows, &columns] {
                prop_assert!((mix.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!(mix.iter().all(|&p| p > -1e-9));
            }
            let turned: Vec<Vec<f64>> =
                (0..columns.len()).map(|c| payoffs.iter().map(|row| row[c]).collect()).collect();
            prop_assert!(against(&payoffs, &columns).iter().all(|&earned| earned < value + 1e-9));
            prop_assert!(against(&turned, &rows).iter().all(|&earned| earned > value - 1e-9));
        }
    }

    #[test]
    fn the_duel_is_solved_as_its_closed_form_says() {
        let settings = duel::Settings::default();
        let solution = solve(&duel::payoffs(&settings).map(|row| row.to_vec()));
        assert!(solution.value.abs() < 1e-12);
        for (mix, expected) in solution.rows.iter().zip(duel::equilibrium(&settings)) {
            assert!((mix - expected).abs() < 1e-12, "{solution:?}");
        }
    }
}
