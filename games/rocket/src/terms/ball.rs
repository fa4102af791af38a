//! Terms of the ball and the score: every car of a team gets the same.

use rocketsim::consts::ball;
use rocketsim::consts::goal::SOCCAR_GOAL_DEPTH;
use rocketsim::{GameMode, Vec3A};

use super::{BALL_MAX_SPEED, Scene, net};
use crate::state::Team;

/// `1` if the own team scored.
pub(super) fn goal(scene: &Scene) -> f32 {
    f32::from(scored_by(scene, scene.car.team))
}

/// `1` if the other team scored.
pub(super) fn concede(scene: &Scene) -> f32 {
    f32::from(scored_by(scene, scene.car.team.other()))
}

/// `1` if the own team scored and the car is credited with it.
pub(super) fn scored(scene: &Scene) -> f32 {
    let credited = scene.happened.scorer == Some(scene.index);
    f32::from(scored_by(scene, scene.car.team) && credited)
}

/// `|v_ball| / 6000` if the own team scored.
pub(super) fn goal_speed(scene: &Scene) -> f32 {
    match scored_by(scene, scene.car.team) {
        true => (scene.now.ball.vel.length() / BALL_MAX_SPEED).min(1.0),
        false => 0.0,
    }
}

fn scored_by(scene: &Scene, team: Team) -> bool {
    scene.happened.goal == Some(team.index())
}

/// `v_ball · unit(net_opponents − x_ball) / 6000`.
pub(super) fn velocity_ball_to_goal(scene: &Scene) -> f32 {
    speed_along(scene, scene.ball_to_net(scene.car.team.other())).clamp(-1.0, 1.0)
}

/// `max(0, v_ball · unit(net_own − x_ball)) / 6000`.
pub(super) fn velocity_toward_own_goal(scene: &Scene) -> f32 {
    speed_along(scene, scene.ball_to_net(scene.car.team)).clamp(0.0, 1.0)
}

/// The ball's speed along a direction, in units of its greatest.
pub(super) fn speed_along(scene: &Scene, direction: Vec3A) -> f32 {
    scene.now.ball.vel.dot(direction) / BALL_MAX_SPEED
}

/// `exp(−½ max(0, |x_ball − net_opponents| − (880 + 91.25)) / 6000)`.
///
/// The distance of Liu et al. (2021, "From Motor Control to Team Play in Simulated Humanoid
/// Football") as RLGym's LiuDistanceBallToGoalReward measures it: to the back of the net, less the
/// depth of the goal and the ball's radius, so that it is 0 for a ball on the line.
pub(super) fn liu_distance_ball_to_goal(scene: &Scene) -> f32 {
    const OFFSET_UU: f32 = SOCCAR_GOAL_DEPTH + ball::get_radius(GameMode::Soccar);
    let to_net_uu = scene.now.ball.pos.distance(net(scene.car.team.other()));
    (-0.5 * (to_net_uu - OFFSET_UU).max(0.0) / BALL_MAX_SPEED).exp()
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{Play, near};
    use rocketsim::Vec3A;

    #[test]
    fn goals_count_for_one_team_and_against_the_other() {
        let mut play = Play::new();
        assert_eq!((play.term(0, "goal"), play.term(0, "concede")), (0.0, 0.0));
        play.happened.goal = Some(0);
        assert_eq!((play.term(0, "goal"), play.term(0, "concede")), (1.0, 0.0));
        assert_eq!((play.term(1, "goal"), play.term(1, "concede")), (0.0, 1.0));
    }

    #[test]
    fn only_the_scorer_scored_and_no_own_goal_counts() {
        let mut play = Play::new();
        play.now.ball.vel = Vec3A::Y * 3000.0;
        play.happened.scorer = Some(0);
        assert_eq!((play.term(0, "scored"), play.term(0, "goal_speed")), (0.0, 0.0));
        play.happened.goal = Some(0);
        assert_eq!((play.term(0, "scored"), play.term(0, "goal_speed")), (1.0, 0.5));
        assert_eq!((play.term(1, "scored"), play.term(1, "goal_speed")), (0.0, 0.0));
        // Nobody of blue touched the ball: orange put it into its own goal.
        play.happened.scorer = None;
        assert_eq!((play.term(0, "scored"), play.term(1, "scored")), (0.0, 0.0));
        assert_eq!(play.term(0, "goal"), 1.0);
    }

    #[test]
    fn a_ball_flying_at_the_net_is_progress_for_its_attackers() {
        let mut play = Play::new();
        let net = Vec3A::new(0.0, 6000.0, 321.3875);
        play.now.ball.pos = Vec3A::new(1000.0, 2000.0, 321.3875);
        play.now.ball.vel = (net - play.now.ball.pos).normalize() * 3000.0;
        near(play.term(0, "velocity_ball_to_goal"), 0.5);
        assert_eq!(play.term(0, "velocity_toward_own_goal"), 0.0);
        near(play.term(1, "velocity_toward_own_goal"), 0.5);
        assert!(play.term(1, "velocity_ball_to_goal") < -0.4);
    }

    #[test]
    fn a_ball_that_crosses_the_line_is_still_moving_towards_the_goal() {
        let mut play = Play::new();
        play.now.ball.pos = Vec3A::new(0.0, 5230.0, 321.3875);
        play.now.ball.vel = Vec3A::Y * 2400.0;
        near(play.term(0, "velocity_ball_to_goal"), 0.4);
    }

    #[test]
    fn liu_distance_is_one_on_the_line_and_falls_with_distance() {
        let mut play = Play::new();
        play.now.ball.pos = Vec3A::new(0.0, 5120.0, 321.3875);
        near(play.term(0, "liu_distance_ball_to_goal"), 1.0);
        play.now.ball.pos = Vec3A::new(0.0, 6000.0 - 971.25 - 2000.0, 321.3875);
        near(play.term(0, "liu_distance_ball_to_goal"), (-1.0f32 / 6.0).exp());
        assert!(play.term(1, "liu_distance_ball_to_goal") < 0.6);
    }
}
