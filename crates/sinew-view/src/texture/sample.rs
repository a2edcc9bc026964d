use super::{DecodedTexture, MipLevel, SamplerWrap, TextureSampler};
use crate::color::linear_from_srgb8;
use crate::glam::{Vec2, Vec4};

impl DecodedTexture {
    /// The color at `uv` in linear light with straight alpha, filtered over a footprint.
    ///
    /// `footprint` is the length in texture units (1 is the whole texture) that one pixel covers; it selects
    /// the level. A coordinate that is not finite gives the texel at the origin.
    pub fn sample(&self, uv: Vec2, footprint: Vec2, sampler: TextureSampler) -> Vec4 {
        let uv = if uv.is_finite() { uv } else { Vec2::ZERO };
        let texels = footprint.abs() * Vec2::new(self.width() as f32, self.height() as f32);
        let size = texels.max_element();
        let last = self.levels.len() - 1;
        if size.is_nan() || size <= 1.0 {
            return self.levels[0].read(uv, sampler);
        }
        let (level, fraction) = level_of(size);
        if level >= last {
            return self.levels[last].bilinear(uv, sampler);
        }
        let fine = self.levels[level].bilinear(uv, sampler);
        fine.lerp(self.levels[level + 1].bilinear(uv, sampler), fraction)
    }

    /// The alpha at `uv` without filtering between levels, for alpha cutoff.
    pub(crate) fn alpha(&self, uv: Vec2, sampler: TextureSampler) -> f32 {
        let uv = if uv.is_finite() { uv } else { Vec2::ZERO };
        self.levels[0].read(uv, sampler).w
    }
}

impl MipLevel {
    fn read(&self, uv: Vec2, sampler: TextureSampler) -> Vec4 {
        if sampler.nearest { self.nearest(uv, sampler) } else { self.bilinear(uv, sampler) }
    }

    fn nearest(&self, uv: Vec2, sampler: TextureSampler) -> Vec4 {
        let place = fold(uv, sampler) * Vec2::new(self.width as f32, self.height as f32);
        let texel = self.at((place.x as u32).min(self.width - 1), (place.y as u32).min(self.height - 1));
        let [r, g, b, _] = texel.map(linear_from_srgb8);
        Vec4::new(r, g, b, f32::from(texel[3]) / 255.0)
    }

    fn bilinear(&self, uv: Vec2, sampler: TextureSampler) -> Vec4 {
        let size = Vec2::new(self.width as f32, self.height as f32);
        let place = fold(uv, sampler) * size - 0.5;
        let corner = place.floor();
        let part = place - corner;
        let (x, y) = (corner.x as i64, corner.y as i64);
        let texel = |dx: i64, dy: i64| {
            let column = wrap_index(x + dx, self.width, sampler.wrap_u);
            let row = wrap_index(y + dy, self.height, sampler.wrap_v);
            linear(self.at(column, row))
        };
        let upper = texel(0, 0).lerp(texel(1, 0), part.x);
        let mixed = upper.lerp(texel(0, 1).lerp(texel(1, 1), part.x), part.y);
        // The mix was made on premultiplied colors.
        let scale = if mixed.w > 0.0 { 1.0 / mixed.w } else { 0.0 };
        (mixed.truncate() * scale).extend(mixed.w)
    }
}

/// The finer of two levels to blend and the weight of the coarser one, for a footprint in texels above 1.
///
/// The logarithm is taken from the float's exponent with a linear mantissa: within 0.09 of the exact value, cheap,
/// and the same on every machine.
fn level_of(texels: f32) -> (usize, f32) {
    let bits = texels.min(1e9).to_bits();
    let exponent = (bits >> 23).saturating_sub(127) as usize;
    let mantissa = (bits & 0x007f_ffff) as f32 / 8_388_608.0;
    (exponent, mantissa)
}

/// Reduces coordinates to about 0 to 1, so that large ones keep their precision as texel indices.
fn fold(uv: Vec2, sampler: TextureSampler) -> Vec2 {
    let one = |value: f32, wrap: SamplerWrap| match wrap {
        SamplerWrap::Repeat => value - value.floor(),
        SamplerWrap::Mirror => {
            let period = value - 2.0 * (value * 0.5).floor();
            if period > 1.0 { 2.0 - period } else { period }
        }
        SamplerWrap::Clamp => value.clamp(0.0, 1.0),
    };
    Vec2::new(one(uv.x, sampler.wrap_u), one(uv.y, sampler.wrap_v))
}

fn wrap_index(index: i64, size: u32, wrap: SamplerWrap) -> u32 {
    let size = i64::from(size);
    let inside = match wrap {
        SamplerWrap::Repeat => index.rem_euclid(size),
        SamplerWrap::Mirror | SamplerWrap::Clamp => index.clamp(0, size - 1),
    };
    inside as u32
}

fn linear(texel: [u8; 4]) -> Vec4 {
    let alpha = f32::from(texel[3]) / 255.0;
    let [r, g, b, _] = texel.map(linear_from_srgb8);
    Vec4::new(r * alpha, g * alpha, b * alpha, alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker() -> DecodedTexture {
        let (black, white) = ([0, 0, 0, 255], [255; 4]);
        DecodedTexture::new(2, 2, vec![black, white, white, black]).unwrap()
    }

    const REPEAT: TextureSampler =
        TextureSampler { wrap_u: SamplerWrap::Repeat, wrap_v: SamplerWrap::Repeat, nearest: false };

    fn wrapped(wrap: SamplerWrap) -> TextureSampler {
        TextureSampler { wrap_u: wrap, wrap_v: wrap, nearest: false }
    }

    #[test]
    fn texel_centers_give_the_texel() {
        let texture = checker();
        assert_eq!(texture.sample(Vec2::new(0.25, 0.25), Vec2::ZERO, REPEAT).x, 0.0);
        assert_eq!(texture.sample(Vec2::new(0.75, 0.25), Vec2::ZERO, REPEAT).x, 1.0);
        assert_eq!(texture.sample(Vec2::new(1.25, -0.25), Vec2::ZERO, REPEAT).x, 1.0);
    }

    #[test]
    fn wrap_modes_differ_outside_the_unit_square() {
        let row = DecodedTexture::new(2, 1, vec![[0, 0, 0, 255], [255; 4]]).unwrap();
        let at = |wrap, u| row.sample(Vec2::new(u, 0.5), Vec2::ZERO, wrapped(wrap)).x;
        assert_eq!(at(SamplerWrap::Repeat, 1.25), 0.0);
        assert_eq!(at(SamplerWrap::Mirror, 1.25), 1.0);
        assert_eq!(at(SamplerWrap::Clamp, 9.0), 1.0);
        assert_eq!(at(SamplerWrap::Clamp, -9.0), 0.0);
    }

    #[test]
    fn a_nearest_sampler_never_mixes() {
        let hard = TextureSampler { nearest: true, ..REPEAT };
        for step in 0..40 {
            let value = checker().sample(Vec2::new(step as f32 * 0.07, 0.3), Vec2::ZERO, hard).x;
            assert!(value == 0.0 || value == 1.0);
        }
    }

    #[test]
    fn a_wide_footprint_averages_in_linear_light() {
        let mean = checker().sample(Vec2::new(0.3, 0.6), Vec2::splat(1.0), REPEAT).x;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }

    #[test]
    fn colors_under_zero_alpha_do_not_bleed() {
        let edge = DecodedTexture::new(2, 1, vec![[255, 0, 0, 255], [0, 255, 0, 0]]).unwrap();
        let middle = edge.sample(Vec2::new(0.5, 0.5), Vec2::ZERO, wrapped(SamplerWrap::Clamp));
        assert!((middle.x - 1.0).abs() < 1e-6 && middle.y == 0.0 && (middle.w - 0.5).abs() < 1e-6);
    }

    #[test]
    fn infinite_coordinates_give_a_finite_color() {
        for bad in [f32::NAN, f32::INFINITY, -1e30] {
            assert!(checker().sample(Vec2::splat(bad), Vec2::splat(bad), REPEAT).is_finite());
        }
    }
}
