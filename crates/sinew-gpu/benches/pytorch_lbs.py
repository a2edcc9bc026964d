# The usual PyTorch formulation of linear blend skinning: dense weights, one matrix a vertex and body.
import torch, time
torch.backends.cuda.matmul.allow_tf32 = False
B, V, J = 1024, 6890, 24
W = torch.rand(V, J, device='cuda'); W = W / W.sum(1, keepdim=True)
A = torch.randn(B, J, 4, 4, device='cuda')
v = torch.randn(B, V, 3, device='cuda')
def lbs():
    T = torch.matmul(W.expand(B, V, J), A.view(B, J, 16)).view(B, V, 4, 4)
    h = torch.cat([v, torch.ones(B, V, 1, device='cuda')], 2)
    return torch.matmul(T, h.unsqueeze(-1))[:, :, :3, 0]
for _ in range(5): lbs()
torch.cuda.synchronize(); best = 1e9
for _ in range(20):
    s, e = torch.cuda.Event(True), torch.cuda.Event(True)
    s.record(); lbs(); e.record(); torch.cuda.synchronize(); best = min(best, s.elapsed_time(e))
print(f'pytorch dense lbs, {V} vertices x {B} bodies, positions only: {best*1e3:.0f} us, {B*V/best/1e6:.2f} Gvertices/s')
