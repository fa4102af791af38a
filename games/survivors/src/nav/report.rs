//! What is in a mesh, for people and for programs.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::attributes::{FLAG_NAMES, SPAWN_NAMES};
use super::ends::GoalKind;
use super::error::NavError;
use super::hint::Hint;
use super::measure::connected_length;
use super::mesh::{AreaIndex, Mesh, Point};
use super::terrain::Terrain;

/// What is in a mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How many areas there are.
    pub areas: usize,
    /// How many connections, counting each direction.
    pub connections: usize,
    /// How many of them have none that leads back.
    pub one_way: usize,
    /// How many ladders.
    pub ladders: usize,
    /// How many pairs of stops of lifts, found from marks.
    pub lifts: usize,
    /// How many entries the visibility lists have.
    pub visible: usize,
    /// How many areas inherit the list of another.
    pub inheriting: usize,
    /// How many hiding spots.
    pub hiding_spots: usize,
    /// The names of places.
    pub places: Vec<String>,
    /// The name of the population.
    pub population: String,
    /// The number after the ladders, whose meaning is not known.
    pub trailing: f32,
    /// The size of the map that the mesh was made for.
    pub bsp_size: u32,
    /// Spawn attributes that occur, each with the number of its areas.
    pub attributes: Vec<(&'static str, usize)>,
    /// Ground flags that occur, each with the number of their areas.
    pub flags: Vec<(&'static str, usize)>,
    /// Where the survivors begin.
    pub start: Option<End>,
    /// Where they must go.
    pub goal: Option<End>,
    /// `safe_room` or `rescue_vehicle`.
    pub goal_kind: Option<&'static str>,
    /// Units from `start` to the farthest area of `goal`, from centre to centre over everything that is
    /// connected; nothing where the connections do not lead there.
    pub flow: Option<f32>,
    /// The same as survivors go: no climbing, no deadly falls, but by lift.
    pub flow_survivors: Option<f32>,
    /// Whether writing the mesh again gives the same bytes.
    pub roundtrip: bool,
    /// What was guessed or passed over, each with its remedy.
    pub notes: Vec<String>,
}

/// One end of a map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct End {
    /// The middle of its areas.
    pub at: Point,
    /// How many areas it has.
    pub areas: usize,
}

impl Report {
    /// Reads a file and says what is in it. A mesh that is whole but cannot be played on is still
    /// reported, with a note.
    pub fn read(bytes: &[u8], hint: &Hint) -> Result<Self, NavError> {
        let mesh = Mesh::read(bytes)?;
        let terrain = Terrain::new(&mesh, hint);
        let mut report = Self::of(&mesh, terrain.as_ref().ok(), mesh.write() == bytes);
        report.notes.extend(terrain.err().map(|error| error.to_string()));
        Ok(report)
    }

    /// Says what is in a mesh and, if it can be played on, in its terrain.
    pub fn of(mesh: &Mesh, terrain: Option<&Terrain>, roundtrip: bool) -> Self {
        let counted = |names: &[(u32, &'static str)], bits: &dyn Fn(usize) -> u32| {
            let areas = |bit: u32| (0..mesh.areas.len()).filter(|a| bits(*a) & bit != 0).count();
            let all = names.iter().map(|(bit, name)| (*name, areas(*bit)));
            all.filter(|(_, count)| *count > 0).collect()
        };
        let flow = terrain.and_then(|terrain| {
            connected_length(mesh, terrain.start_areas(), terrain.goal_areas())
        });
        let mut notes = terrain.map_or(Vec::new(), |terrain| terrain.notes().to_vec());
        if terrain.is_some() && flow.is_none() {
            notes
                .push("no stored connections lead from the start to the goal: no flow".to_string());
        }
        let open = terrain.filter(|terrain| terrain.goal_is_open()).map(Terrain::flow_length);
        Self {
            areas: mesh.areas.len(),
            connections: mesh.connections(),
            one_way: one_way(mesh),
            ladders: mesh.ladders.len(),
            visible: mesh.visible(),
            inheriting: mesh.areas.iter().filter(|area| area.inherits != 0).count(),
            hiding_spots: mesh.areas.iter().map(|area| area.hiding_spots.len()).sum(),
            places: mesh.place_names(),
            population: mesh.population_name(),
            trailing: mesh.trailing,
            bsp_size: mesh.bsp_size,
            attributes: counted(&SPAWN_NAMES, &|area| mesh.areas[area].spawn),
            flags: counted(&FLAG_NAMES, &|area| mesh.areas[area].flags),
            start: terrain.map(|terrain| end(terrain, terrain.start_areas())),
            goal: terrain.map(|terrain| end(terrain, terrain.goal_areas())),
            goal_kind: terrain.map(|terrain| match terrain.goal_kind() {
                GoalKind::SafeRoom => "safe_room",
                GoalKind::RescueVehicle => "rescue_vehicle",
            }),
            flow,
            flow_survivors: open,
            lifts: terrain.map_or(0, |terrain| terrain.lifts().len()),
            roundtrip,
            notes,
        }
    }

    /// The report as JSON: an object with the names of the fields, attributes and flags as objects too.
    pub fn to_json(&self) -> Value {
        let mut json = serde_json::to_value(self).unwrap_or_default();
        for (name, counts) in [("attributes", &self.attributes), ("flags", &self.flags)] {
            json[name] = counts.iter().map(|(name, count)| (*name, *count)).collect();
        }
        json
    }
}

fn one_way(mesh: &Mesh) -> usize {
    let mut ways: Vec<(u32, u32)> = mesh
        .areas
        .iter()
        .flat_map(|area| area.connections.iter().flatten().map(|to| (area.id, *to)))
        .collect();
    ways.sort_unstable();
    ways.iter().filter(|(from, to)| ways.binary_search(&(*to, *from)).is_err()).count()
}

fn end(terrain: &Terrain, areas: &[AreaIndex]) -> End {
    let mut at = [0.0; 3];
    for area in areas {
        for (sum, value) in at.iter_mut().zip(terrain.center(*area)) {
            *sum += value / areas.len() as f32;
        }
    }
    End { at, areas: areas.len() }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |counts: &[(&str, usize)]| {
            let each: Vec<_> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if each.is_empty() { "none".to_string() } else { each.join(", ") }
        };
        let end = |end: &Option<End>| {
            end.map_or("none".to_string(), |end| {
                let [x, y, z] = end.at;
                format!("{} areas around [{x:.0}, {y:.0}, {z:.0}]", end.areas)
            })
        };
        writeln!(out, "areas        {}, {} hiding spots", self.areas, self.hiding_spots)?;
        writeln!(out, "connections  {}, {} of them one way", self.connections, self.one_way)?;
        writeln!(out, "ladders      {}; lifts {}", self.ladders, self.lifts)?;
        writeln!(out, "visible      {} entries, {} areas inherit", self.visible, self.inheriting)?;
        writeln!(out, "places       {}", self.places.join(", "))?;
        writeln!(out, "population   {}", self.population)?;
        writeln!(out, "attributes   {}", list(&self.attributes))?;
        writeln!(out, "flags        {}", list(&self.flags))?;
        writeln!(out, "start        {}", end(&self.start))?;
        let kind = self.goal_kind.map_or("none", |kind| match kind {
            "rescue_vehicle" => "a rescue vehicle",
            _ => "a safe room",
        });
        writeln!(out, "goal         {}, {}", kind, end(&self.goal))?;
        let units =
            |flow: Option<f32>| flow.map_or("no way".to_string(), |f| format!("{f:.0} units"));
        let (flow, survivors) = (units(self.flow), units(self.flow_survivors));
        writeln!(out, "flow         {flow} over all connections, {survivors} as survivors go")?;
        let same = if self.roundtrip { "the same bytes" } else { "other bytes" };
        writeln!(out, "round trip   {same}")?;
        for note in &self.notes {
            writeln!(out, "note         {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Area, attributes};
    use super::*;

    #[test]
    fn a_small_mesh_is_told_in_full() {
        let mut mesh = Mesh::empty();
        for index in 0..3_u32 {
            let x = index as f32 * 100.0;
            mesh.areas.push(Area::plain(index + 1, [x, 0.0, 0.0], [x + 100.0, 100.0, 0.0]));
        }
        mesh.areas[0].connections[1] = vec![2];
        mesh.areas[1].connections = [vec![], vec![3], vec![], vec![1]];
        mesh.areas[0].spawn = attributes::CHECKPOINT | attributes::PLAYER_START;
        mesh.areas[2].spawn = attributes::CHECKPOINT;
        let report = Report::read(&mesh.write(), &Hint::default()).expect("a good file");
        let json = report.to_json();
        assert_eq!((&json["areas"], &json["connections"]), (&3.into(), &3.into()));
        assert_eq!((&json["ladders"], &json["visible"]), (&0.into(), &0.into()));
        assert_eq!((&json["flow"], &json["roundtrip"]), (&200.0.into(), &true.into()));
        assert_eq!((&json["one_way"], &json["goal_kind"]), (&1.into(), &"safe_room".into()));
        assert_eq!(json["attributes"]["CHECKPOINT"], 2);
        assert!(report.to_string().contains("flow         200 units over all"));
    }

    #[test]
    fn the_flow_is_from_start_to_goal_as_the_hint_has_them() {
        let mut mesh = Mesh::empty();
        for index in 0..4_u32 {
            let x = index as f32 * 100.0;
            mesh.areas.push(Area::plain(index + 1, [x, 0.0, 0.0], [x + 100.0, 100.0, 0.0]));
        }
        for index in 0..2 {
            mesh.areas[index].connections[1] = vec![index as u32 + 2];
            mesh.areas[index + 1].connections[3] = vec![index as u32 + 1];
        }
        mesh.areas[2].connections[1] = vec![4];
        mesh.areas[0].spawn = attributes::CHECKPOINT | attributes::PLAYER_START;
        mesh.areas[3].spawn = attributes::CHECKPOINT;
        let told = |hint: Hint| Report::read(&mesh.write(), &hint).expect("a good file");
        assert_eq!(told(Hint::default()).flow, Some(300.0));
        let near = Hint { goal: Some([150.0, 50.0, 0.0]), ..Hint::default() };
        assert_eq!(told(near).flow, Some(100.0));
        let back = Hint { start: Some([350.0, 50.0, 0.0]), goal: Some([50.0, 50.0, 0.0]) };
        let back = told(back);
        assert_eq!(back.flow, None);
        assert!(back.notes.iter().any(|note| note.contains("no flow")), "{:?}", back.notes);
    }

    #[test]
    fn a_mesh_without_ground_is_told_with_a_note() {
        let report = Report::read(&Mesh::empty().write(), &Hint::default()).expect("a whole file");
        assert_eq!((report.areas, report.flow, report.roundtrip), (0, None, true));
        assert!(report.notes[0].contains("no areas"));
        assert!(report.to_json()["flow"].is_null());
    }
}
