//! Everyday files and questions, made by `scripts/everyday`, asked without a language model.

use crate::world::World;
use std::path::Path;

#[test]
fn everyday_questions_are_answered_rightly_or_not_at_all() {
    let world = World::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everyday");
    let found = world.json(0, &["eval", "everyday", folder.to_str().unwrap()]);
    let share = |of: &str, what: &str| {
        let figures = &found[of];
        figures[what].as_f64().unwrap() / figures["asked"].as_f64().unwrap()
    };
    // At most two of a hundred may be wrong, and of those that have an answer 85 are to be right.
    assert!(found["questions"]["asked"].as_u64().unwrap() >= 600, "{found}");
    assert!(share("questions", "wrong") <= 0.02, "{found}");
    assert!(found["questions"]["right_of_answerable"].as_f64().unwrap() >= 0.85, "{found}");
    assert!(found["statements"]["asked"].as_u64().unwrap() >= 200, "{found}");
    assert!(share("statements", "wrong") <= 0.02, "{found}");
}
