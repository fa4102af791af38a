//! Shortest ways between areas.
//!
//! Infected ask tens of times a tick which link leads nearest to somebody, so the answer is looked up and
//! not searched for: one row per target, with the distance and the first link from every area. A row is a
//! pure function of the links. Small maps have all rows from the beginning; on large ones the first who
//! asks fills a row, and it makes no difference who.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use super::links::Links;
use super::mesh::AreaIndex;

/// Maps up to this size have all rows made at once: 21 MB at most.
pub(super) const EAGER_AREAS: usize = 2048;
/// No link leads there.
const NO_LINK: u8 = u8::MAX;

/// An edge of the graph as a search walks it.
#[derive(Clone, Copy)]
struct Edge {
    node: AreaIndex,
    /// The number of the link in the area that it starts from.
    link: u8,
    cost: f32,
}

/// Edges by the area that a search comes from.
struct Graph {
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Graph {
    /// Along the links, which are given as where they lead and what they cost. Searched for distances
    /// alone: the numbers of links are not kept.
    fn forward<I: Iterator<Item = (AreaIndex, f32)>>(
        areas: usize,
        links: impl Fn(AreaIndex) -> I,
    ) -> Self {
        let mut graph = Self { first: vec![0], edges: Vec::new() };
        for area in 0..areas {
            let out = links(area as AreaIndex);
            graph.edges.extend(out.map(|(node, cost)| Edge { node, link: NO_LINK, cost }));
            graph.first.push(graph.edges.len() as u32);
        }
        graph
    }

    /// Against the links: an edge leads from where a link arrives to where it starts.
    fn backward(links: &Links, areas: usize) -> Self {
        let mut into = vec![Vec::new(); areas];
        for area in 0..areas {
            for (at, link) in links.of(area as AreaIndex).iter().enumerate() {
                let node = area as AreaIndex;
                into[usize::from(link.to)].push(Edge { node, link: at as u8, cost: link.cost });
            }
        }
        let mut graph = Self { first: vec![0], edges: Vec::new() };
        for edges in into {
            graph.edges.extend(edges);
            graph.first.push(graph.edges.len() as u32);
        }
        graph
    }

    fn of(&self, node: usize) -> &[Edge] {
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Dijkstra's search. Among ways of the same length the one found from the lower area is kept, so the
    /// result depends on nothing but the graph.
    fn search(&self, sources: &[AreaIndex]) -> Row {
        let nodes = self.first.len() - 1;
        let mut row = Row {
            distance: vec![f32::INFINITY; nodes].into_boxed_slice(),
            link: vec![NO_LINK; nodes].into_boxed_slice(),
        };
        let mut open = BinaryHeap::new();
        for &source in sources {
            row.distance[usize::from(source)] = 0.0;
            open.push(Reverse(key(0.0, source)));
        }
        while let Some(Reverse(next)) = open.pop() {
            let (distance, node) = unkey(next);
            if distance > row.distance[node] {
                continue;
            }
            for edge in self.of(node) {
                let there = distance + edge.cost;
                if there < row.distance[usize::from(edge.node)] {
                    row.distance[usize::from(edge.node)] = there;
                    row.link[usize::from(edge.node)] = edge.link;
                    open.push(Reverse(key(there, edge.node)));
                }
            }
        }
        row
    }
}

/// A distance and an area as one number that sorts by both: floats that are not negative sort as their
/// bits do.
fn key(distance: f32, area: AreaIndex) -> u64 {
    u64::from(distance.to_bits()) << 16 | u64::from(area)
}

fn unkey(key: u64) -> (f32, usize) {
    (f32::from_bits((key >> 16) as u32), (key & 0xffff) as usize)
}

/// The distance from every area, and its first link.
pub(super) struct Row {
    pub distance: Box<[f32]>,
    link: Box<[u8]>,
}

impl Row {
    pub fn link(&self, area: AreaIndex) -> Option<usize> {
        let link = self.link[usize::from(area)];
        (link != NO_LINK).then_some(link.into())
    }
}

pub(super) struct Ways {
    backward: Graph,
    rows: Vec<OnceLock<Row>>,
}

impl Ways {
    pub fn new(links: &Links, areas: usize) -> Self {
        let ways = Self {
            backward: Graph::backward(links, areas),
            rows: (0..areas).map(|_| OnceLock::new()).collect(),
        };
        if areas <= EAGER_AREAS {
            for target in 0..areas {
                ways.toward(target as AreaIndex);
            }
        }
        ways
    }

    /// The row of a target.
    pub fn toward(&self, target: AreaIndex) -> &Row {
        self.rows[usize::from(target)].get_or_init(|| self.backward.search(&[target]))
    }

    /// The row of the nearest of several targets.
    pub fn toward_any(&self, targets: &[AreaIndex]) -> Row {
        self.backward.search(targets)
    }

    /// Bytes held by the rows that have been made.
    pub fn bytes(&self) -> usize {
        let filled = self.rows.iter().filter(|row| row.get().is_some()).count();
        filled * self.rows.len() * 5 + self.rows.len() * size_of::<OnceLock<Row>>()
    }
}

/// How far every area is from the nearest of several, along the links.
pub(super) fn from_any(links: &Links, areas: usize, sources: &[AreaIndex]) -> Box<[f32]> {
    let out = |area| links.of(area).iter().map(|link| (link.to, link.cost));
    Graph::forward(areas, out).search(sources).distance
}
