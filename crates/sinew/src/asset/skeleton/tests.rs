use super::*;

fn joint(name: &str, parent: Option<u16>) -> Joint {
    Joint { name: name.into(), parent: parent.map(JointId), rest: Transform::IDENTITY }
}

#[test]
fn rejects_a_parent_after_its_child() {
    let error = Skeleton::new([joint("a", None), joint("b", Some(2)), joint("c", Some(0))]);
    let want = SkeletonError::ParentAfterChild { joint: 1, name: "b".into(), parent: 2 };
    assert_eq!(error.unwrap_err(), want);
    assert!(Skeleton::new([joint("self", Some(0))]).is_err());
}

#[test]
fn rejects_a_rest_that_is_not_finite_or_not_of_unit_rotation() {
    let mut bad = joint("a", None);
    bad.rest.translation.x = f32::NAN;
    assert!(matches!(Skeleton::new([bad]), Err(SkeletonError::BadRest { joint: 0, .. })));
    let mut zero = joint("a", None);
    zero.rest.rotation = glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert!(matches!(Skeleton::new([zero]), Err(SkeletonError::BadRest { .. })));
}

#[test]
fn names_that_several_joints_have_name_none() {
    let s = Skeleton::new([joint("a", None), joint("b", Some(0)), joint("b", Some(1)), joint("", Some(0))]);
    let s = s.unwrap();
    let by_name = s.joints_by_name();
    assert_eq!((by_name.len(), by_name["a"], by_name["b"]), (2, Some(JointId(0)), None));
}

#[test]
fn finds_the_first_of_several_joints_with_one_name() {
    let s = Skeleton::new([joint("a", None), joint("b", Some(0)), joint("b", Some(1))]).unwrap();
    assert_eq!(s.find("b"), Some(JointId(1)));
    assert_eq!(s.find("c"), None);
}

#[test]
fn walks_roots_children_and_ancestors() {
    let s = Skeleton::new([
        joint("a", None),
        joint("b", Some(0)),
        joint("c", None),
        joint("d", Some(1)),
        joint("e", Some(0)),
    ])
    .unwrap();
    assert_eq!(s.roots().collect::<Vec<_>>(), [JointId(0), JointId(2)]);
    assert_eq!(s.children(JointId(0)).collect::<Vec<_>>(), [JointId(1), JointId(4)]);
    assert_eq!(s.depth(JointId(3)), 2);
    assert!(s.is_within(JointId(3), JointId(0)) && !s.is_within(JointId(3), JointId(2)));
}

#[test]
fn refuses_more_joints_than_sixteen_bits_can_name() {
    let many = (0..=Skeleton::MAX_JOINTS).map(|_| joint("", None));
    assert!(matches!(Skeleton::new(many), Err(SkeletonError::TooManyJoints { .. })));
}

#[test]
#[should_panic(expected = "joint 9999 does not exist: there are 1 joints")]
fn a_joint_that_does_not_exist_panics_with_both_numbers() {
    let joint = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
    let _ = Skeleton::new([joint]).unwrap().name(JointId(9999));
}
